import type { AccountConfig } from './account-schema.ts';
import { isApiBase } from './is-api-base.ts';

/** The hosts at which credentials may be shown without being listed: the providers' own. */
const isKnownHost = (host: string): boolean =>
  [
    'api-m.paypal.com',
    'api-m.sandbox.paypal.com',
    'connect.squareup.com',
    'connect.squareupsandbox.com',
    'api.stripe.com',
  ].includes(host) || /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/.test(host);

const DEFAULT_BASES = {
  paypal: 'https://api-m.paypal.com',
  square: 'https://connect.squareup.com',
  stripe: 'https://api.stripe.com',
} as const;

/** Where the account's provider is called, without a slash at the end. */
export const apiBaseOf = (account: AccountConfig): string => {
  const given = account.api_base ?? (account.provider === 'shopify' ? undefined : DEFAULT_BASES[account.provider]);
  const base = given ?? `https://${(account.provider === 'shopify' ? account.shop_domain : undefined) ?? ''}`;
  return base.replace(/\/+$/, '');
};

/**
 * What is wrong with where an account is called; null where nothing is. Its credentials go there: a slip of the pen must not
 * show them to another host, nor in the clear.
 */
export const wrongBase = (
  account: AccountConfig,
  { hosts, allow_private: allowPrivate }: { readonly hosts: readonly string[]; readonly allow_private: boolean },
): string | null => {
  const base = apiBaseOf(account);
  if (!isApiBase(base)) return null;
  const { protocol, hostname, host } = new URL(base);
  if (protocol !== 'https:' && !allowPrivate) return 'https, unless readback.allow_private is on';
  if (isKnownHost(hostname) || hosts.includes(hostname) || hosts.includes(host)) return null;
  return `one of the provider's own hosts, or one that readback.hosts lists`;
};
