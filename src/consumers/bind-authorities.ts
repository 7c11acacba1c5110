import { type EpochMs, type Json, paymentKey } from '../evaluator/index.ts';
import type { ForwardedRequest } from '../ports/forward-sink.ts';
import type { ShardStore, StateWrite } from '../ports/shard-store.ts';
import { parseJsonText, printJson } from '../records/json-text.ts';
import type { HandoffBound, HandoffRequested } from '../records/records.ts';
import type { AuthorityClaim } from './admission.ts';
import type { DecodedRecord } from './decoded-record.ts';

/** A request that was admitted on its authority's partition. */
export interface BindableRequest {
  /** place of the record in its batch */
  readonly index: number;
  /** null: it names no authority */
  readonly authorityKey: string | null;
  readonly request: HandoffRequested;
  readonly claim: AuthorityClaim | null;
  readonly decoded: DecodedRecord;
}

/** What an authority's state holds: the first valid request that showed it. */
export type BoundTo = NonNullable<HandoffBound['bound_to']>;

/** An authority is remembered past its end by this much, so that a late record never meets it forgotten. */
export const KEPT_AFTER_MS = 7 * 86_400_000;

const readBinding = (value: string | null): BoundTo | null =>
  value === null ? null : (parseJsonText(value) as unknown as BoundTo);

/** The request as it is passed on. */
export const boundRecord = ({ request, decoded }: BindableRequest, boundTo: BoundTo | null): HandoffBound =>
  ({
    kind: 'handoff.bound',
    provider: request.provider,
    account: request.account,
    payment_id: request.payment_id,
    request: request as unknown as HandoffBound['request'],
    ...(boundTo === null ? {} : { bound_to: boundTo }),
    source: decoded.source,
    requested_at: request.requested_at,
  }) satisfies HandoffBound;

/** What the requests of a batch came to: authorities to write, and the requests to pass on, in their order. */
export interface BoundRequests {
  readonly writes: readonly StateWrite[];
  readonly forwards: readonly ForwardedRequest[];
}

const writeOf = (key: string, boundTo: BoundTo, expiresAt: EpochMs): StateWrite => ({
  paymentKey: key,
  value: printJson(boundTo as unknown as Json),
  expiresAt: expiresAt + KEPT_AFTER_MS,
  evaluateAt: null,
  reads: [],
});

/**
 * Binds each authority to the payment of the first valid request that shows it. This partition's order is the only one that
 * an authority's requests have, also where they are for two payments: of two that race one is first.
 * @param held the stored values of the authorities, by key
 */
export const bindRequests = (
  requests: readonly BindableRequest[],
  held: ReadonlyMap<string, string | null>,
  traceparentOf: (record: DecodedRecord) => string | null,
): BoundRequests => {
  const bindings = new Map<string, BoundTo | null>([...held].map(([key, value]) => [key, readBinding(value)]));
  const writes: StateWrite[] = [];
  const forwards = requests.map((one): ForwardedRequest => {
    const { authorityKey: key, claim, request, decoded } = one;
    if (key !== null && claim !== null && (bindings.get(key) ?? null) === null) {
      const boundTo = { payment_key: claim.paymentKey, request_digest: claim.requestDigest };
      bindings.set(key, boundTo);
      writes.push(writeOf(key, boundTo, claim.expiresAt));
    }
    const { provider, account, payment_id: paymentId } = request;
    return {
      key: paymentKey({ provider, account, paymentId }),
      record: boundRecord(one, key === null ? null : (bindings.get(key) ?? null)),
      traceparent: traceparentOf(decoded),
    };
  });
  return { writes, forwards };
};

/** The same, over what the store holds of the authorities. */
export const bindAuthorities = async (
  store: Pick<ShardStore, 'load'>,
  shard: number,
  requests: readonly BindableRequest[],
  traceparentOf: (record: DecodedRecord) => string | null,
): Promise<BoundRequests> => {
  if (requests.length === 0) return { writes: [], forwards: [] };
  const keys = [...new Set(requests.flatMap(({ authorityKey }) => authorityKey ?? []))];
  const values = await store.load(shard, keys);
  return bindRequests(requests, new Map(keys.map((key, place) => [key, values[place] ?? null])), traceparentOf);
};
