import type { Secret } from '../../providers/endpoint.ts';
import type { Endpoint } from '../../providers/index.ts';
import { parseCertificates } from '../../providers/paypal/certificate.ts';
import { type Check, checksOf } from './check.ts';

const { ok, warn, fail } = checksOf('endpoints');

/** An end that is nearer than this is told: a secret is not changed in a day. */
const SOON_MS = 14 * 86_400_000;

interface Span {
  /** inclusive; milliseconds since the epoch, infinite where there is no bound */
  readonly from: number;
  /** exclusive */
  readonly to: number;
}

const spanOf = ({ fromMs, toMs }: Secret): Span => ({
  from: fromMs ?? Number.NEGATIVE_INFINITY,
  to: toMs ?? Number.POSITIVE_INFINITY,
});

/** Until when something is in force without a gap, from `now` on; null: nothing is now. */
const coveredUntil = (spans: readonly Span[], now: number): number | null => {
  let until = now;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) if (from <= until && to > until) until = to;
  return until === now ? null : until;
};

const spansOf = (endpoint: Endpoint): { readonly what: string; readonly spans: readonly Span[] }[] => {
  switch (endpoint.provider) {
    case 'paypal': {
      const ofPems = (what: string, pems: readonly string[]) =>
        pems.length === 0
          ? []
          : [
              {
                what,
                spans: parseCertificates(pems).map(({ validFromMs, validToMs }) => ({
                  from: validFromMs,
                  to: validToMs + 1,
                })),
              },
            ];
      return [...ofPems('pinned certificate', endpoint.certificates), ...ofPems('authority (ca)', endpoint.ca)];
    }
    case 'square':
      return [{ what: 'signature key', spans: endpoint.signatureKeys.map(spanOf) }];
    case 'shopify':
    case 'stripe':
      return [{ what: 'secret', spans: endpoint.secrets.map(spanOf) }];
  }
};

const checkSpans = (name: string, what: string, spans: readonly Span[], now: number): Check => {
  const until = coveredUntil(spans, now);
  const next = Math.min(...spans.map(({ from }) => from).filter((from) => from > now));
  if (until === null) {
    const later = next === Number.POSITIVE_INFINITY ? '' : `; the next one is from ${new Date(next).toISOString()}`;
    return fail(
      `${name}: no ${what} is in force now${later}`,
      'Its events cannot be checked: every one is answered 503, and is a dead letter where it was taken before. Add the one that the provider signs with now.',
    );
  }
  if (until - now < SOON_MS)
    return warn(
      `${name}: no ${what} is in force from ${new Date(until).toISOString()} on`,
      'Add the next one before that.',
    );
  const end = until === Number.POSITIVE_INFINITY ? 'without an end' : `until ${new Date(until).toISOString()}`;
  return ok(`${name}: a ${what} is in force, ${end}`);
};

/** Whether every endpoint has something in force now, and for a while, to check signatures with. */
export const checkEndpoints = (endpoints: readonly Endpoint[], now: number): Check[] =>
  endpoints.flatMap((endpoint) => {
    const { provider, endpoint: path, account, accountField } = endpoint;
    const name = `${provider}/${path} (${account ?? `by ${accountField}`})`;
    const all = spansOf(endpoint);
    if (all.length === 0) return [ok(`${name}: certificates come from PayPal and chain to the roots that Node ships`)];
    return all.map(({ what, spans }) => checkSpans(name, what, spans, now));
  });
