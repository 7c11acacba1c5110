import type { InputKind } from './records.ts';

/**
 * How a field crosses between JSON and Avro.
 * - `same`: as it is.
 * - `json`: free JSON is its JSON text.
 * - `utf8`: text is bytes.
 * - `raw`: a raw body, in the record as text or base64, is bytes.
 * - an object: field by field.
 */
export type FieldPlan = 'same' | 'json' | 'utf8' | 'raw' | AvroPlan;

export interface AvroPlan {
  readonly [field: string]: FieldPlan;
}

export type RecordKind = InputKind | 'verdict' | 'handoff.decided';

/** Holds what no field of the Avro schema names: the JSON text of an object that is merged into the record. */
export const EXTRA_FIELD = 'extra';

const operation: AvroPlan = { kind: 'same', operation_id: 'same', provider: 'same', account: 'same' };

const ofPayment: AvroPlan = { kind: 'same', provider: 'same', account: 'same', payment_id: 'same' };

const receipt: AvroPlan = { ...ofPayment, receipt_ref: 'same', receipt: 'same', received_at: 'same' };

const action: AvroPlan = {
  result: 'json',
  error: { kind: 'same', http_status: 'same', body: 'json' },
  completed_at: 'same',
};

/** Field by field what `contracts/records/<kind>.avsc` says; a test holds them, and the zod schemas, equal. */
export const AVRO_PLANS: Readonly<Record<RecordKind, AvroPlan>> = {
  'operation.started': {
    ...operation,
    contract: { id: 'same', version: 'same' },
    created_at: 'same',
    idempotency_key: 'same',
    input: 'json',
    action,
    handoff: 'same',
    observe_from: 'same',
  },
  'operation.acted': { ...operation, payment_id: 'same', action },
  'webhook.received': {
    kind: 'same',
    provider: 'same',
    account: 'same',
    endpoint: 'same',
    headers: 'same',
    body: 'raw',
    received_at: 'same',
    certificates: 'same',
  },
  'readback.result': {
    ...operation,
    payment_id: 'same',
    channel: 'same',
    purpose: 'same',
    resource_id: 'same',
    attempt: 'same',
    requested_at: 'same',
    observed_at: 'same',
    outcome: 'same',
    http_status: 'same',
    body: 'utf8',
    error: { kind: 'same', message: 'same', retry_after_ms: 'same' },
  },
  'review.decided': {
    ...operation,
    payment_id: 'same',
    answers: 'same',
    decision: 'same',
    reason: 'same',
    reviewer: 'same',
    decided_at: 'same',
  },
  'charge.receipt': receipt,
  'refund.receipt': { ...receipt, charge_ref: 'same' },
  'handoff.requested': {
    ...ofPayment,
    charge_ref: 'same',
    amount: 'same',
    currency: 'same',
    reason: 'same',
    rail: 'same',
    counterparty: 'same',
    authority: 'json',
    requested_at: 'same',
  },
  'handoff.bound': {
    ...ofPayment,
    request: 'json',
    bound_to: { payment_key: 'same', request_digest: 'same' },
    source: { topic: 'same', partition: 'same', offset: 'same' },
    requested_at: 'same',
  },
  'handoff.decided': {
    kind: 'same',
    schema: 'same',
    handoff_id: 'same',
    provider: 'same',
    account: 'same',
    payment_key: 'same',
    request_digest: 'same',
    authority_key: 'same',
    decision: 'same',
    plan: 'json',
    plan_digest: 'same',
    operation: 'json',
    refusals: 'same',
    notes: 'same',
    redactions: 'same',
    money_moved: 'same',
    provider_status: 'same',
    requested_at: 'same',
    decided_at: 'same',
    request: { topic: 'same', partition: 'same', offset: 'same' },
  },
  verdict: {
    kind: 'same',
    schema: 'same',
    verdict_id: 'same',
    operation_id: 'same',
    provider: 'same',
    account: 'same',
    payment_key: 'same',
    revision: 'same',
    input: 'json',
    refund: { id: 'same', amount: 'json', currency: 'same', status: 'same' },
    verdict: 'same',
    class: 'same',
    reason: 'same',
    detail: 'same',
    basis: 'same',
    contract: { id: 'same', version: 'same', hash: 'same' },
    completion_level: 'same',
    money_moved: 'same',
    conditions: 'same',
    evidence: 'same',
    correlation: { strategy: 'same', assurance: 'same' },
    refunds_seen: { ids: 'same', count: 'same' },
    duplicates: { ids: 'same', count: 'same' },
    duplicates_dropped: 'same',
    findings: 'same',
    advice: 'same',
    escalated_to: 'same',
    decided_at: 'same',
    supersedes: 'same',
    receipt: {
      form: 'same',
      hash: 'same',
      previous: { revision: 'same', hash: 'same' },
      chain: { log: 'same', shard: 'same', sequence: 'same', previous: 'same' },
      jws: 'same',
    },
  },
};

/** Whether every field of the kind is always there, null where there is nothing. In the others an absent field is left out. */
export const keepsNulls = (kind: unknown): boolean => kind === 'verdict' || kind === 'handoff.decided';
