import { z } from 'zod';
import type { Aggregate, Comparison, Contract } from '../evaluator/contract.ts';
import { instantMs } from '../evaluator/instant.ts';
import { parsePath, parseSegments } from '../evaluator/path.ts';

const isPath = (value: string): boolean => {
  const parsed = parsePath(value);
  return !('problem' in parsed) && (parsed.segments.length > 0 || parsed.channel !== null);
};

const text = z.string().min(1);
const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'a name in snake_case, e.g. refund_present');
const path = z.string().refine(isPath, {
  message: 'a path from $observed, $input, $action, $operation or $bound, e.g. $observed.refund_readback.status',
});
const inside = z.string().refine((value) => parseSegments(value) !== null, {
  message: 'a path inside the value, e.g. amount_money.amount or transactions[0].status',
});
const inputPath = z.string().regex(/^\$input\.[A-Za-z_][A-Za-z0-9_]*$/, 'a path to an input field, e.g. $input.amount');
const duration = z.int().min(0);
const level = z.enum(['E0', 'E1', 'E2', 'E3']);
const contradictionClass = z.enum([
  'wrong_subject',
  'wrong_amount',
  'pre_existing_state',
  'duplicate_side_effect',
  'rejected',
  'handoff_drift',
]);
const verdict = z.enum(['VERIFIED', 'CONTRADICTED', 'FAILED', 'PENDING', 'UNVERIFIABLE']);
const advice = z.enum(['none', 'wait', 'retry_same_key', 'do_not_retry', 'ask_person']);

const aggregate: z.ZodType<Aggregate> = z.strictObject({
  op: z.enum(['count', 'sum', 'money', 'currencies']),
  of: inside.exactOptional(),
  where: z.record(inside, z.array(z.string()).min(1)).exactOptional(),
  currency: z
    .union([z.string().regex(/^[A-Z]{3}$/), path], 'a currency code or a path, e.g. $input.currency')
    .exactOptional(),
});

const literal = z.union([z.null(), z.boolean(), z.number(), z.string()]);
const expected = z
  .union([literal, z.array(literal).min(1)])
  .refine((value) => typeof value !== 'string' || !value.startsWith('$') || isPath(value), {
    message: 'a literal, a list of literals, or a path such as $input.amount',
  });

const comparison = {
  path,
  aggregate: aggregate.exactOptional(),
  operator: z.enum([
    'eq',
    'ne',
    'in',
    'not_in',
    'gt',
    'gte',
    'lt',
    'lte',
    'time_after',
    'time_before',
    'includes',
    'excludes',
  ]),
  expected,
  as: z.enum(['decimal', 'instant', 'currency']).exactOptional(),
  get and() {
    return z.array(comparisonObject).min(1).exactOptional();
  },
};
const comparisonObject: z.ZodType<Comparison> = z.lazy(() => z.strictObject(comparison));

const independence = z.enum(['provider_readback', 'provider_event', 'action']);

const readChannel = z.strictObject({
  level,
  independence,
  verifier: z.literal('http'),
  description: text,
  reads: z.enum(['refund', 'payment']),
  optional: z.boolean().exactOptional(),
  needs: inputPath.exactOptional(),
  volatile: z.array(inside).exactOptional(),
});

const eventChannel = z.strictObject({
  level,
  independence,
  verifier: z.literal('webhook'),
  description: text,
  events: z.strictObject({
    types: z.array(text).min(1),
    of: z.enum(['payment', 'refund']),
    statuses: z.array(text).min(1).exactOptional(),
  }),
  optional: z.boolean().exactOptional(),
});

/** The contract language: a strict schema of exactly the `Contract` type. Unknown fields are errors, nothing is defaulted. */
export const contractSchema: z.ZodType<Contract> = z.strictObject({
  contract: z.strictObject({
    id: z.string().regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, 'a dotted name, e.g. paypal.refund.completed'),
    version: z.string().regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, 'a version of three numbers, e.g. "1.1.0"'),
  }),
  title: text,
  provider: z.enum(['paypal', 'square', 'shopify', 'stripe']),
  publisher: text.exactOptional(),
  certification: text.exactOptional(),
  published_hash: z
    .string()
    .regex(/^[0-9a-f]{16}$/, '16 hex digits')
    .exactOptional(),
  effective_from: z
    .string()
    .refine((value) => instantMs(value) !== null, { message: 'an instant, e.g. 2026-09-01T00:00:00Z' })
    .exactOptional(),
  completion_level: name,
  proves_money: z.boolean(),
  provider_api_versions: z.array(text),
  proves: text,
  intent: text,
  subject: z.strictObject({
    type: text,
    identity: z.record(z.string(), path),
    canonical_effect: text,
    provider_operation: text,
  }),
  idempotency: z.strictObject({
    key: text.nullable(),
    through: text.nullable(),
    retry_is_safe: z.boolean().nullable(),
  }),
  input: z.strictObject({
    payment_id: inputPath,
    amount: inputPath,
    currency: inputPath.nullable(),
    fields: z.record(
      name,
      z.strictObject({
        type: z.enum(['id', 'gid', 'amount_decimal', 'amount_exact', 'amount_minor', 'currency', 'text']),
        required: z.boolean(),
        description: text.exactOptional(),
      }),
    ),
  }),
  correlation: z.strictObject({
    strategies: z
      .array(
        z.strictObject({
          strategy: z.enum(['resource_id', 'idempotency_key', 'echo', 'fingerprint']),
          assurance: z.enum(['strong', 'weak']),
          keys: z.record(z.string(), path),
          required: z.boolean(),
        }),
      )
      .min(1),
    required_assurance: z.literal('strong').exactOptional(),
  }),
  evidence: z.strictObject({
    minimum_level: level,
    independent_channel_required: z.boolean(),
    minimum_channels: z.int().min(1),
    attribution: z.enum(['none', 'operations']),
  }),
  channels: z.record(name, z.discriminatedUnion('verifier', [readChannel, eventChannel])),
  verified: z.array(z.strictObject({ name, meaning: text, evidence: name, ...comparison })).min(1),
  contradicted: z.array(
    z.strictObject({
      name,
      class: contradictionClass,
      reason: text,
      when_unknown: z.enum(['hold', 'pass']).exactOptional(),
      ...comparison,
    }),
  ),
  states: z.array(
    z.strictObject({
      name,
      match: comparisonObject,
      verdict,
      class: contradictionClass.exactOptional(),
      reason: text,
      advice: advice.exactOptional(),
      escalate_to: name.exactOptional(),
    }),
  ),
  timing: z.strictObject({
    initial_delay_ms: duration,
    poll_interval_ms: duration,
    backoff_factor: z.number().min(1),
    backoff_max_ms: duration,
    max_attempts: z.int().min(1),
    timeout_ms: duration,
    stale_read_window_ms: duration,
    attribution_window_ms: duration,
    clock_skew_ms: duration,
    watch_period_ms: duration,
  }),
  on_timeout: z.strictObject({ verdict: z.literal('UNVERIFIABLE'), reason: name, escalate_to: text }),
  provenance: z.array(
    z.strictObject({
      rule: text,
      source: text,
      url: z.url().exactOptional(),
      retrieved: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date, e.g. "2026-09-05"')
        .exactOptional(),
    }),
  ),
});
