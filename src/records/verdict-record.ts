import { z } from 'zod';
import type { Json, VerdictRecord } from '../evaluator/index.ts';
import { count, id, instant, json, jsonObject, provider, text } from './fields.ts';
import { type Refusal, refuseFields } from './refusal.ts';

const list = z.array(text).readonly();

const receipt = z.object({
  form: z.literal(1),
  hash: text,
  previous: z.object({ revision: count, hash: text }).nullable(),
  chain: z.object({ log: text, shard: count, sequence: count, previous: text.nullable() }),
  jws: text,
});

/** The verdict record on the wire. `VerdictRecord` of the evaluator is its type; a test holds the two equal. */
export const verdictRecord = z.object({
  kind: z.literal('verdict'),
  schema: z.literal(1),
  verdict_id: text,
  operation_id: id,
  provider,
  account: text,
  payment_key: text,
  revision: count,
  input: jsonObject,
  refund: z.object({ id: text, amount: json, currency: text.nullable(), status: text.nullable() }).nullable(),
  verdict: z.enum(['VERIFIED', 'CONTRADICTED', 'FAILED', 'PENDING', 'UNVERIFIABLE']),
  class: z
    .enum(['wrong_subject', 'wrong_amount', 'pre_existing_state', 'duplicate_side_effect', 'rejected', 'handoff_drift'])
    .nullable(),
  reason: text,
  detail: text,
  basis: z.enum(['evidence', 'review']),
  contract: z.object({ id: text, version: text, hash: text }),
  completion_level: text.nullable(),
  money_moved: z.boolean().nullable(),
  conditions: z
    .array(
      z.object({
        name: text,
        kind: z.enum(['verified', 'contradicted', 'state']),
        result: z.enum(['true', 'false', 'unknown']),
        path: text,
        observed: text.nullable(),
        expected: text.nullable(),
        why: text.nullable(),
      }),
    )
    .readonly(),
  evidence: z
    .array(
      z.object({
        channel: text,
        level: z.enum(['E0', 'E1', 'E2', 'E3']),
        sha256: text,
        observed_at: instant,
        source: z.object({ topic: text, partition: count, offset: text }),
      }),
    )
    .readonly(),
  correlation: z.object({ strategy: text, assurance: z.enum(['strong', 'weak']) }).nullable(),
  refunds_seen: z.object({ ids: list, count }),
  duplicates: z.object({ ids: list, count }),
  duplicates_dropped: count,
  findings: z
    .array(
      z.object({
        code: z.enum([
          'reversal_seen',
          'dispute_seen',
          'unclaimed_refund',
          'ambiguous_owner',
          'weak_candidate',
          'operation_conflict',
          'live_refund_beside_failure',
          'state_limit',
        ]),
        refund_id: text.nullable(),
        detail: text,
        observed_at: instant,
      }),
    )
    .readonly(),
  advice: z.enum(['none', 'wait', 'retry_same_key', 'do_not_retry', 'ask_person']),
  escalated_to: text.nullable(),
  decided_at: instant,
  supersedes: text.nullable(),
  receipt: receipt.nullable(),
});

/** Reads a verdict record, as a ledger or a new owner of a shard does. Total. */
export const parseVerdictRecord = (value: Json): { readonly ok: true; readonly record: VerdictRecord } | Refusal => {
  const parsed = verdictRecord.safeParse(value);
  return parsed.success
    ? { ok: true, record: value as unknown as VerdictRecord }
    : refuseFields('verdict', value, parsed.error.issues);
};
