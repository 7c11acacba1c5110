import type { AuthorityFacts, HandoffRefusal, Json, JsonObject, ProviderName } from '../evaluator/index.ts';
import { type EpochMs, instantMs } from '../evaluator/index.ts';
import type { HandoffRequested } from '../records/index.ts';
import { authorityKey } from '../records/index.ts';
import { type AuthorityClaims, authorityClaims } from './claims.ts';
import { canonicalDigest } from './digest.ts';
import type { Issuers } from './issuers.ts';
import { currencyOf, minorOfMajor } from './money.ts';
import { refusal } from './refusals.ts';

/** What an authority says of itself, and what is wrong with it for this request. */
export interface ReadAuthority {
  readonly facts: AuthorityFacts | null;
  readonly problems: readonly HandoffRefusal[];
}

const WHOLE =
  'a signed refund.authority with id, realm, operation, payer, currency, rail, max_amount, single_use, expires_at';

/** Fields that must name one thing. */
const NAMED = ['id', 'realm', 'operation', 'payer', 'currency', 'rail', 'charge_ref'] as const;
const WILDCARD = /\*|^(any|all)$/i;

const wildcards = (claims: JsonObject): HandoffRefusal[] =>
  [...NAMED, 'max_amount'].flatMap((name) => {
    const value: Json | undefined = claims[name];
    return typeof value === 'string' && WILDCARD.test(value)
      ? [refusal('authority_wildcard', `${name} ${value}`, `one ${name}, by name`)]
      : [];
  });

const incomplete = (claims: JsonObject): HandoffRefusal[] => {
  const parsed = authorityClaims.safeParse(claims);
  if (parsed.success) return [];
  return parsed.error.issues
    .slice(0, 10)
    .map(({ path, message }) => refusal('authority_incomplete', path.join('.'), message));
};

type Mismatch = readonly [
  'authority_payer_mismatch' | 'authority_currency_mismatch' | 'authority_rail_mismatch' | 'authority_charge_mismatch',
  string,
  string,
];

const mismatches = (claims: AuthorityClaims, request: HandoffRequested): HandoffRefusal[] => {
  const pairs: Mismatch[] = [
    ['authority_payer_mismatch', claims.payer, request.counterparty],
    ['authority_currency_mismatch', claims.currency.toUpperCase(), request.currency.toUpperCase()],
    ['authority_rail_mismatch', claims.rail, request.rail],
    ['authority_charge_mismatch', claims.charge_ref ?? request.charge_ref, request.charge_ref],
  ];
  const found = pairs
    .filter(([, granted, asked]) => granted !== asked)
    .map(([code, granted, asked]) => refusal(code, granted, asked));
  if (claims.operation !== 'refund') found.push(refusal('authority_operation_mismatch', claims.operation, 'refund'));
  return found;
};

const bounds = (claims: AuthorityClaims, { amount, currency, provider }: HandoffRequested): HandoffRefusal[] => {
  const money = currencyOf(currency, provider as ProviderName);
  const [most, asked] = [minorOfMajor(claims.max_amount, money), minorOfMajor(amount, money)];
  if (most === null) return [refusal('authority_incomplete', 'max_amount', `an amount of ${money.code}`)];
  return asked === null || asked <= most
    ? []
    : [refusal('authority_bound_exceeded', amount, `at most ${claims.max_amount} ${money.code}`)];
};

const times = (claims: AuthorityClaims, at: EpochMs): HandoffRefusal[] => {
  const found: HandoffRefusal[] = [];
  if (at >= Number(instantMs(claims.expires_at)))
    found.push(refusal('authority_expired', claims.expires_at, 'a time after the request came in'));
  if (claims.not_before !== undefined && at < Number(instantMs(claims.not_before)))
    found.push(refusal('authority_not_yet_valid', claims.not_before, 'a time before the request came in'));
  return found;
};

const factsOf = (claims: AuthorityClaims): AuthorityFacts => ({
  key: authorityKey(claims.iss, claims.id),
  issuer: claims.iss,
  id: claims.id,
  digest: canonicalDigest(claims),
  payer: claims.payer,
  currency: claims.currency.toUpperCase(),
  rail: claims.rail,
  realm: claims.realm,
  operation: claims.operation,
  maxAmount: claims.max_amount,
  chargeRef: claims.charge_ref ?? null,
  expiresAt: Number(instantMs(claims.expires_at)),
});

const unreadable = (authority: HandoffRequested['authority']): HandoffRefusal | null => {
  if (authority === undefined || authority === null || authority === '')
    return refusal('authority_missing', null, WHOLE);
  if (typeof authority !== 'string')
    return refusal(
      'authority_reference_only',
      Array.isArray(authority) ? 'a list' : `${typeof authority}`,
      `${WHOLE}, as a JWS in compact form`,
    );
  if (authority.split('.').length !== 3)
    return refusal('authority_reference_only', 'a reference', `${WHOLE}, whole and not by reference`);
  return null;
};

/** Reads the authority that a request shows, and holds it against what is asked for. All that is wrong is told at once. */
export const readAuthority = (issuers: Issuers, request: HandoffRequested, at: EpochMs): ReadAuthority => {
  const { authority } = request;
  const missing = unreadable(authority);
  if (missing !== null) return { facts: null, problems: [missing] };
  const signed = issuers.open(String(authority), 'authorities');
  if (!signed.ok) return { facts: null, problems: [refusal('authority_unsigned', signed.why, WHOLE)] };
  const parsed = authorityClaims.safeParse(signed.claims);
  const general = [...incomplete(signed.claims), ...wildcards(signed.claims)];
  if (signed.claims['single_use'] === false)
    general.push(refusal('authority_reusable', 'single_use false', 'single_use true: it is good for one refund'));
  if (!parsed.success) return { facts: null, problems: general };
  const claims = parsed.data;
  const problems = [...general, ...times(claims, at), ...mismatches(claims, request), ...bounds(claims, request)];
  return { facts: factsOf(claims), problems };
};
