import { z } from 'zod';
import type { HandoffDecided, Json } from '../evaluator/index.ts';
import { count, instant, jsonObject, provider, text } from './fields.ts';
import { type Refusal, refuseFields } from './refusal.ts';

const list = z.array(text).readonly();

/** The answer to a request for a plan, on the wire. `HandoffDecided` of the evaluator is its type; a test holds the two equal. */
export const handoffDecided = z.object({
  kind: z.literal('handoff.decided'),
  schema: z.literal(1),
  handoff_id: text,
  provider,
  account: text,
  payment_key: text,
  request_digest: text,
  authority_key: text.nullable(),
  decision: z.enum(['planned', 'refused']),
  plan: jsonObject.nullable(),
  plan_digest: text.nullable(),
  operation: jsonObject.nullable(),
  refusals: z.array(z.object({ code: text, check: text, seen: text.nullable(), needed: text })).readonly(),
  notes: list,
  redactions: list,
  money_moved: z.literal(false),
  provider_status: z.literal('not_called'),
  requested_at: instant,
  decided_at: instant,
  request: z.object({ topic: text, partition: count, offset: text }),
});

/** Reads the answer to a request, as its caller or a new owner of a shard does. Total. */
export const parseHandoffDecided = (value: Json): { readonly ok: true; readonly record: HandoffDecided } | Refusal => {
  const parsed = handoffDecided.safeParse(value);
  return parsed.success
    ? { ok: true, record: value as unknown as HandoffDecided }
    : refuseFields('handoff.decided', value, parsed.error.issues);
};
