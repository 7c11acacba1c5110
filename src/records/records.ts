import { z } from 'zod';
import {
  AN_OBJECT,
  account,
  base64,
  count,
  httpStatus,
  id,
  instant,
  json,
  jsonObject,
  operationId,
  paymentId,
  provider,
  text,
  verdictId,
  words,
} from './fields.ts';
import type { Frozen } from './frozen.ts';

/**
 * The input records, exactly as they stand on the wire. A field that may be left out may also be null, which says the same.
 * Fields that no schema names are kept and never refused.
 */

const action = z
  .object(
    {
      /** the provider's answer as it came */
      result: jsonObject.nullish(),
      /** what is known of an action without an answer */
      error: z
        .object(
          {
            kind: z.enum(['timeout', 'network', 'declined', 'unknown'], 'one of timeout, network, declined, unknown'),
            http_status: httpStatus.nullish(),
            /** the provider's error answer, any JSON */
            body: json.nullish(),
          },
          AN_OBJECT,
        )
        .nullish(),
      completed_at: instant,
    },
    AN_OBJECT,
  )
  .refine((value) => (value.result ?? null) !== null || (value.error ?? null) !== null, {
    path: ['result'],
    error: 'a JSON object (or give error where there was no answer)',
  })
  .refine((value) => (value.result ?? null) === null || (value.error ?? null) === null, {
    path: ['error'],
    error: 'left out where result is given',
  });

export const operationStarted = z.object({
  kind: z.literal('operation.started'),
  operation_id: operationId,
  provider,
  account,
  /** without a version: the newest in effect at created_at */
  contract: z.object({ id, version: id.nullish() }, AN_OBJECT),
  created_at: instant,
  /** the operation id unless given */
  idempotency_key: id.nullish(),
  /** the intent, in the contract's own form */
  input: jsonObject,
  action: action.nullish(),
  /** the digest of the plan that the operation is held to */
  handoff: id.nullish(),
  /** the deadline counts from here, for backfill */
  observe_from: instant.nullish(),
});

export const operationActed = z.object({
  kind: z.literal('operation.acted'),
  operation_id: operationId,
  provider,
  account,
  payment_id: paymentId,
  action,
});

export const webhookReceived = z
  .object({
    kind: z.literal('webhook.received'),
    provider,
    account,
    endpoint: id,
    /** names in any case */
    headers: z.record(z.string(), z.string('a string'), 'a JSON object of strings'),
    /** the raw body where it is UTF-8 */
    body: text.nullish(),
    /** the raw body where it is not */
    body_base64: base64.nullish(),
    received_at: instant,
    /** PEM, PayPal only: what the event's certificate URL answered */
    certificates: z
      .union([z.string(), z.array(z.string('PEM text')).readonly()], 'PEM text, or a list of PEM texts')
      .nullish(),
  })
  .refine((value) => (value.body ?? null) !== null || (value.body_base64 ?? null) !== null, {
    path: ['body'],
    error: 'the raw body as text (or give body_base64)',
  })
  .refine((value) => (value.body ?? null) === null || (value.body_base64 ?? null) === null, {
    path: ['body_base64'],
    error: 'left out where body is given',
  });

export const readbackResult = z
  .object({
    kind: z.literal('readback.result'),
    operation_id: operationId,
    provider,
    account,
    payment_id: paymentId,
    /** the contract's channel */
    channel: id,
    /** poll unless given */
    purpose: z
      .enum(['poll', 'event', 'deadline', 'candidate', 'list'], 'one of poll, event, deadline, candidate, list')
      .nullish(),
    /** what was asked; the bound refund unless given */
    resource_id: id.nullish(),
    attempt: count.nullish(),
    requested_at: instant.nullish(),
    observed_at: instant,
    outcome: z.enum(['ok', 'absent', 'error'], 'one of ok, absent, error'),
    http_status: httpStatus.nullish(),
    /** the provider's raw answer */
    body: text.nullish(),
    error: z
      .object(
        {
          kind: z.enum(
            ['timeout', 'network', 'server', 'rate_limited', 'auth', 'malformed'],
            'one of timeout, network, server, rate_limited, auth, malformed',
          ),
          message: text.nullish(),
          retry_after_ms: count.nullish(),
        },
        AN_OBJECT,
      )
      .nullish(),
  })
  .refine((value) => value.outcome !== 'ok' || (value.body ?? null) !== null, {
    path: ['body'],
    error: "the provider's raw answer as text, since outcome is ok",
  })
  .refine((value) => value.outcome !== 'error' || (value.error ?? null) !== null, {
    path: ['error'],
    error: 'a JSON object with kind, since outcome is error',
  });

export const reviewDecided = z.object({
  kind: z.literal('review.decided'),
  operation_id: operationId,
  provider,
  account,
  payment_id: paymentId,
  /** the verdict id that the decision answers */
  answers: verdictId,
  decision: z.enum(['VERIFIED', 'CONTRADICTED', 'FAILED'], 'one of VERIFIED, CONTRADICTED, FAILED'),
  reason: words,
  reviewer: id,
  decided_at: instant,
});

/** What a receipt's routing fields are; what it proves is in the signed `receipt`. */
const receiptFields = {
  provider,
  account,
  payment_id: paymentId,
  /** the reference by which the receipt is found */
  receipt_ref: id,
  /** a JWS in compact form, signed by a configured issuer; without it there is a reference and no proof */
  receipt: text.nullish(),
  /** when the receipt came in */
  received_at: instant,
};

export const chargeReceipt = z.object({ kind: z.literal('charge.receipt'), ...receiptFields });

export const refundReceipt = z.object({
  kind: z.literal('refund.receipt'),
  ...receiptFields,
  /** the charge receipt that it reverses a part of */
  charge_ref: id,
});

export const handoffRequested = z.object({
  kind: z.literal('handoff.requested'),
  provider,
  account,
  payment_id: paymentId,
  /** the reference of the charge receipt */
  charge_ref: id,
  /** decimal text in major units, such as 20.00 */
  amount: text,
  currency: id,
  reason: words,
  /** mock, mpp, stripe, paypal, square or shopify */
  rail: id,
  /** whom the money goes back to */
  counterparty: id,
  /** the refund authority: a JWS in compact form */
  authority: json.nullish(),
  /** when the request came in, by the edge that took it */
  requested_at: instant,
});

/** What the consumer itself passes on to the payment's partition. */
export const handoffBound = z.object({
  kind: z.literal('handoff.bound'),
  provider,
  account,
  payment_id: paymentId,
  /** the request as it came */
  request: jsonObject,
  /** to which request the authority is bound; null where it is none that could be */
  bound_to: z.object({ payment_key: text, request_digest: text }, AN_OBJECT).nullish(),
  /** where the request stands */
  source: z.object({ topic: text, partition: count, offset: text }, AN_OBJECT),
  requested_at: instant,
});

export type Action = Frozen<z.output<typeof action>>;
export type OperationStarted = Frozen<z.output<typeof operationStarted>>;
export type OperationActed = Frozen<z.output<typeof operationActed>>;
export type WebhookReceived = Frozen<z.output<typeof webhookReceived>>;
export type ReadbackResult = Frozen<z.output<typeof readbackResult>>;
export type ReviewDecided = Frozen<z.output<typeof reviewDecided>>;
export type ChargeReceipt = Frozen<z.output<typeof chargeReceipt>>;
export type RefundReceipt = Frozen<z.output<typeof refundReceipt>>;
export type HandoffRequested = Frozen<z.output<typeof handoffRequested>>;
export type HandoffBound = Frozen<z.output<typeof handoffBound>>;

/** Any record that the keyed consumer reads. */
export type InputRecord =
  | OperationStarted
  | OperationActed
  | WebhookReceived
  | ReadbackResult
  | ReviewDecided
  | ChargeReceipt
  | RefundReceipt
  | HandoffRequested
  | HandoffBound;
export type InputKind = InputRecord['kind'];

/** The schema of each input kind. */
export const INPUT_SCHEMAS = {
  'operation.started': operationStarted,
  'operation.acted': operationActed,
  'webhook.received': webhookReceived,
  'readback.result': readbackResult,
  'review.decided': reviewDecided,
  'charge.receipt': chargeReceipt,
  'refund.receipt': refundReceipt,
  'handoff.requested': handoffRequested,
  'handoff.bound': handoffBound,
} as const;
