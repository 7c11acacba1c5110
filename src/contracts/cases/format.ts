import { z } from 'zod';
import { instantMs } from '../../evaluator/instant.ts';
import type { Json } from '../../evaluator/json.ts';
import { isOffset } from './offset.ts';

const name = z.string().min(1);
const offset = z.string().refine(isOffset, { message: 'a time from the start, e.g. +0s, +1.5s, +10m, +3d or -2h' });
const instant = z
  .string()
  .refine((value) => instantMs(value) !== null, { message: 'an instant, e.g. 2026-09-01T12:00:00.350Z' });
const amount = z.union([z.string(), z.number()]);
const json: z.ZodType<Json> = z.json() as unknown as z.ZodType<Json>;
const fields = z.record(z.string(), json);

const transaction = z.strictObject({ status: name, amount: amount.optional(), kind: name.optional() });

/** What a refund says at one moment. Each part left out is taken from the refund's own entry, then from the intent. */
const said = {
  status: name.optional(),
  amount: amount.optional(),
  currency: name.optional(),
  /** the payment that the refund itself names */
  payment: z.string().nullable().optional(),
  created: offset.optional(),
  /** when the provider changed it last; the record's own time unless given */
  updated: offset.optional(),
  /** a value of the caller that the provider prints: custom_id, metadata, note */
  echo: name.optional(),
  /** Shopify: its transactions, instead of one of `status` */
  transactions: z.array(transaction).optional(),
  /** Shopify: the other money of the bag */
  other_money: z.strictObject({ amount, currency: name }).optional(),
  /** further fields of the provider's resource, merged in as they are */
  extra: fields.optional(),
};

/** What an operation intends. Each part left out is taken from the operation's own entry. */
const intended = {
  amount: amount.optional(),
  currency: name.optional(),
  key: name.optional(),
  /** further fields of the input, in place of the usual ones where they have one name */
  input: fields.optional(),
  contract: name.optional(),
  observe_from: offset.optional(),
};

const at = offset;
const record = z.union([
  /** the operation's own entry, but for what stands here: how the same id is started twice, each time otherwise */
  z.strictObject({ at, start: name, ...intended }),
  z.strictObject({ at, acted: name, refund: name, ...said }),
  z.strictObject({
    at,
    failed: name,
    error: z.enum(['timeout', 'network', 'declined', 'unknown']),
    http_status: z.int().optional(),
    body: json.optional(),
  }),
  z.strictObject({
    at,
    event: name,
    refund: name,
    /** the provider's event id; a new one for each record unless given */
    id: z.string().optional(),
    ...said,
  }),
  z.strictObject({ at, read: name, refund: name, channel: name.optional(), ...said }),
  z.strictObject({ at, absent: name, refund: name.optional(), channel: name.optional() }),
  z.strictObject({
    at,
    unread: name,
    error: z.enum(['timeout', 'network', 'server', 'rate_limited', 'auth', 'malformed']),
    channel: name.optional(),
  }),
  z.strictObject({ at, list: name, refunds: z.array(name), channel: name.optional() }),
  z.strictObject({
    at,
    review: name,
    answers: z.int().min(1),
    decision: z.enum(['VERIFIED', 'CONTRADICTED', 'FAILED']),
  }),
  z.strictObject({ at, topic: name, value: fields }),
]);

const verdict = z.enum(['VERIFIED', 'CONTRADICTED', 'FAILED', 'PENDING', 'UNVERIFIABLE']);

const expectation = z.strictObject({
  verdict,
  class: name.nullable().optional(),
  reason: name.optional(),
  money_moved: z.boolean().nullable().optional(),
  /** the extra refunds, by their names in the case */
  duplicates: z.array(name).optional(),
  /** the codes of findings, in any order */
  findings: z.array(name).optional(),
  advice: name.optional(),
  basis: z.enum(['evidence', 'review']).optional(),
  escalated_to: name.nullable().optional(),
  /** the name of the refund that is bound, or of the weak candidate */
  refund: name.nullable().optional(),
  /** how the refund was bound, e.g. `strong resource_id`; null where it was not */
  correlation: name.nullable().optional(),
  /** the VERIFIED conditions that are not true, in any order */
  unmet: z.array(name).optional(),
  /** the CONTRADICTED conditions that are true, in any order */
  contradicted: z.array(name).optional(),
  duplicates_dropped: z.int().min(0).optional(),
  /** a part of the detail */
  says: name.optional(),
  /** every published verdict in order */
  revisions: z.array(verdict).optional(),
});

/** One refund story with what it should come to. */
export const caseSchema = z.strictObject({
  name,
  story: name,
  contract: z
    .string()
    .regex(/^[^@]+@\d+\.\d+\.\d+$/, 'a contract with its version, e.g. paypal.refund.completed@1.1.0'),
  /** whether every operation of it is one good refund */
  safe: z.boolean(),
  start: instant.optional(),
  /** the payment's id; one of the provider's own form unless given */
  payment: name.optional(),
  operations: z.record(name, z.strictObject(intended)).optional(),
  refunds: z.record(name, z.strictObject(said)).optional(),
  records: z.array(record).min(1),
  until: offset,
  expect: z.record(name, expectation),
  /** the codes of the records that are refused, in their order; none unless given */
  refused: z.array(name).optional(),
});

export type Case = z.infer<typeof caseSchema>;
export type CaseRecord = Case['records'][number];
export type Expectation = Case['expect'][string];
export type Intended = z.infer<z.ZodObject<typeof intended>>;
export type Said = z.infer<z.ZodObject<typeof said>>;
