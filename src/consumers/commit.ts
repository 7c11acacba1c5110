import { type EpochMs, type PaymentState, type PaymentStep, unresolvedSince } from '../evaluator/index.ts';
import type { AppliedOffsets, PendingVerdict, ShardClaim, ShardCommit, StateWrite } from '../ports/shard-store.ts';
import { printJson } from '../records/json-text.ts';
import { encodeState } from '../records/state-codec.ts';
import { HANDOFFS_TOPIC } from '../records/topics.ts';
import type { ReducedPayment } from './reduce-groups.ts';

/** The states a commit writes, live: they go into the owner's cache once the store has said `committed`. */
export interface WrittenState {
  readonly paymentKey: string;
  readonly state: PaymentState;
  readonly expiresAt: EpochMs | null;
  readonly chars: number;
}

/** Offsets are decimal text without leading zeros. Compared as such: a batch has thousands. */
const isAfter = (a: string, b: string): boolean => (a.length === b.length ? a > b : a.length > b.length);

/** The offsets after the given positions, never behind what was applied before. */
export const advanceOffsets = (
  applied: AppliedOffsets,
  positions: Iterable<{ readonly topic: string; readonly offset: string }>,
): AppliedOffsets => {
  const last = new Map<string, string>();
  for (const { topic, offset } of positions) if (isAfter(offset, last.get(topic) ?? '')) last.set(topic, offset);
  const next: Record<string, string> = { ...applied };
  for (const [topic, offset] of last) {
    const after = (BigInt(offset) + 1n).toString();
    if (isAfter(after, next[topic] ?? '0')) next[topic] = after;
  }
  return next;
};

/** The write of a payment's state, serialised as `value`, with what its queues are to hold. */
export const stateWrite = (
  paymentKey: string,
  value: string,
  { state, expiresAt, evaluateAt, reads }: Pick<PaymentStep, 'state' | 'expiresAt' | 'evaluateAt' | 'reads'>,
): StateWrite => {
  const since = unresolvedSince(state);
  const write = { paymentKey, value, expiresAt, evaluateAt, reads };
  return since === null ? write : { ...write, unresolvedSince: since };
};

/** Everything a batch came to as one all-or-nothing write. Verdicts are in publication order. */
export const buildCommit = (
  claim: ShardClaim,
  payments: readonly ReducedPayment[],
  applied: AppliedOffsets,
  streamTime: EpochMs,
  traceparentOf: (record: number) => string | null,
): { readonly commit: ShardCommit; readonly written: readonly WrittenState[] } => {
  const writes: StateWrite[] = [];
  const written: WrittenState[] = [];
  const verdicts: Omit<PendingVerdict, 'sequence'>[] = [];
  for (const { key, step, causes, records = [] } of payments) {
    const value = encodeState(step.state);
    writes.push(stateWrite(key, value, step));
    written.push({ paymentKey: key, state: step.state, expiresAt: step.expiresAt, chars: value.length });
    for (const [index, verdict] of step.verdicts.entries()) {
      const cause = causes[index] ?? null;
      const text = printJson(verdict as never);
      verdicts.push({
        key: `${key}/${verdict.operation_id}`,
        value: text,
        traceparent: cause === null ? null : traceparentOf(cause),
        printed: { text, record: verdict },
      });
    }
    for (const { index, decided } of step.handoffs) {
      const cause = records[index];
      verdicts.push({
        topic: HANDOFFS_TOPIC,
        key: `${key}/${decided.handoff_id}`,
        value: printJson(decided as never),
        traceparent: cause === undefined ? null : traceparentOf(cause),
      });
    }
  }
  return { commit: { claim, writes, applied, verdicts, streamTime }, written };
};
