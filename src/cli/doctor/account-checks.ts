import type { ReadError } from '../../ports/provider-reader.ts';
import type { Account } from '../../providers/account.ts';
import type { AccountProbe } from '../../providers/account-probe.ts';
import type { Endpoint } from '../../providers/index.ts';
import { type Check, checksOf } from './check.ts';

const { ok, warn, fail } = checksOf('accounts');

/** Asks a provider whether it takes an account's credentials. */
export type ProbeAccount = (account: Account) => Promise<AccountProbe>;

const nameOf = ({ provider, account }: { readonly provider: string; readonly account: string }): string =>
  `${provider}:${account}`;

const refused = (account: Account, { kind, message }: ReadError): Check => {
  const said = `${nameOf(account)}: ${account.apiBase} answers ${message}`;
  switch (kind) {
    case 'auth':
      return fail(
        said,
        'Renew its credentials, or give them the right to read refunds; docs/reference/accounts.md has it.',
      );
    case 'rate_limited':
      return warn(said, 'Its credentials could not be tried; try again, and lower rate_per_second if it stays so.');
    case 'timeout':
    case 'network':
      return fail(
        `${nameOf(account)}: ${account.apiBase}: ${message}`,
        'Let this machine out to it; look at DNS, proxy and firewall, and at api_base.',
      );
    case 'server':
      return warn(said, "Look at the provider's status page, and at api_base and api_version.");
    case 'malformed':
      return fail(said, 'What answers there is not the provider: look at api_base, and at proxies on the way.');
  }
};

const probed = async (account: Account, probe: ProbeAccount): Promise<Check[]> => {
  const answer = await probe(account);
  if (answer.outcome === 'error') return [refused(account, answer)];
  return [
    ok(`${nameOf(account)}: ${account.apiBase} takes its credentials`),
    ...answer.remarks.map((remark) => warn(`${nameOf(account)}: ${remark}`, 'Change it where that matters.')),
  ];
};

/** Accounts whose events come in and that nobody can read back, and the other way round. */
const unpaired = (accounts: readonly Account[], endpoints: readonly Endpoint[]): Check[] => {
  const readable = new Set(accounts.map(nameOf));
  const heard = new Set(
    endpoints.flatMap((each) => (each.account === null ? [] : [nameOf({ ...each, account: each.account })])),
  );
  // An endpoint that many share hears whatever account its events name.
  const shared = new Set(endpoints.flatMap(({ account, provider }) => (account === null ? [provider] : [])));
  return [
    ...[...heard]
      .filter((name) => !readable.has(name))
      .map((name) =>
        warn(
          `${name} has an endpoint and is not in accounts`,
          'Nothing of it is read back: add it, or its refunds end UNVERIFIABLE.',
        ),
      ),
    ...accounts
      .filter((account) => !heard.has(nameOf(account)) && !shared.has(account.provider))
      .map((account) =>
        warn(
          `${nameOf(account)} has no endpoint here`,
          'No event of it comes in by this configuration: add one, or its refunds end UNVERIFIABLE.',
        ),
      ),
  ];
};

/**
 * Whether every account can be read back, and heard of.
 * @param probe null: nobody is asked
 */
export const checkAccounts = async (
  accounts: readonly Account[],
  endpoints: readonly Endpoint[],
  probe: ProbeAccount | null,
): Promise<Check[]> => {
  if (accounts.length === 0 && endpoints.length === 0)
    return [ok('none is configured: events and readbacks come from elsewhere')];
  const asked =
    probe === null
      ? accounts.map((account) => ok(`${nameOf(account)}: its credentials are there; nobody was asked (--offline)`))
      : (await Promise.all(accounts.map((account) => probed(account, probe)))).flat();
  return [...asked, ...unpaired(accounts, endpoints)];
};
