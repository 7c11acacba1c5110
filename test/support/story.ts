import { createHash } from 'node:crypto';
import {
  type ActedObservation,
  type ContractSet,
  describeJudgement,
  type EpochMs,
  type EventObservation,
  type JsonObject,
  type JudgedCondition,
  judgeOperation,
  type Observation,
  type PaymentRef,
  type PaymentState,
  type PaymentStep,
  printInstant,
  type ReadObservation,
  type RefundFacts,
  type ReviewObservation,
  reducePayment,
  type StartedObservation,
  type VerdictRecord,
  viewPayment,
} from '../../src/evaluator/index.ts';

/** Noon of the day on which every story plays; times in stories are seconds after it. */
export const NOON: EpochMs = Date.parse('2026-09-01T12:00:00.000Z');
export const at = (seconds: number): EpochMs => NOON + Math.round(seconds * 1000);
/** As PayPal prints it: whole seconds. */
export const wholeSecond = (seconds: number): string => printInstant(at(seconds)).replace(/\.\d{3}Z$/, 'Z');

export const CAPTURE = '3C679366HH908993R';
export const PAYPAL: PaymentRef = { provider: 'paypal', account: 'merchant-1', paymentId: CAPTURE };

const digest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one)))
    .digest('hex');
const source = (line: number) => ({ topic: 'story', partition: 0, offset: String(line) });

const STATES: Readonly<Record<string, RefundFacts['state']>> = {
  COMPLETED: 'complete',
  PENDING: 'pending',
  FAILED: 'dead',
  CANCELLED: 'dead',
};

export interface RefundGiven {
  readonly amount?: string | null;
  readonly currency?: string | null;
  readonly status?: string;
  readonly created?: number | null;
  readonly updated?: number | null;
  readonly paymentId?: string | null;
  readonly echoes?: readonly string[];
}

const given = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

export const refundFacts = (refundId: string, seconds: number, refund: RefundGiven): RefundFacts => {
  const status = given(refund.status, 'COMPLETED');
  const created = given<number | null>(refund.created, seconds);
  const updated = given<number | null>(refund.updated, seconds);
  return {
    refundId,
    paymentId: given<string | null>(refund.paymentId, CAPTURE),
    amount: given<string | null>(refund.amount, '10.00'),
    currency: given<string | null>(refund.currency, 'USD'),
    status,
    state: STATES[status] ?? 'unknown',
    createdAt: created === null ? null : wholeSecond(created),
    updatedAt: updated === null ? null : wholeSecond(updated),
    version: null,
    echoes: given(refund.echoes, []),
  };
};

export interface StartGiven {
  readonly amount?: string;
  readonly currency?: string;
  readonly version?: string;
  readonly contract?: string;
  readonly input?: JsonObject;
  readonly key?: string;
  readonly refused?: StartedObservation['refused'];
  readonly observeFrom?: number;
}

export const started = (id: string, seconds: number, start: StartGiven = {}): StartedObservation => {
  const input: JsonObject = {
    capture_id: CAPTURE,
    amount: given(start.amount, '10.00'),
    currency_code: given(start.currency, 'USD'),
    ...start.input,
  };
  const contract = { id: given(start.contract, 'paypal.refund.completed'), version: given(start.version, '1.1.0') };
  const idempotencyKey = given(start.key, id);
  return {
    kind: 'started',
    operationId: id,
    at: at(seconds),
    source: source(1),
    contract: start.refused?.code === 'contract_unknown' ? { ...contract, version: null } : contract,
    createdAt: printInstant(at(seconds)),
    idempotencyKey,
    input,
    handoff: null,
    observeFrom: start.observeFrom === undefined ? null : printInstant(at(start.observeFrom)),
    refused: start.refused ?? null,
    identity: digest([contract, input, idempotencyKey]),
  };
};

export const acted = (id: string, seconds: number, refundId: string, status = 'PENDING'): ActedObservation => {
  const result = { id: refundId, status };
  return {
    kind: 'acted',
    operationId: id,
    at: at(seconds),
    source: source(2),
    completedAt: printInstant(at(seconds)),
    result,
    facts: {
      ...refundFacts(refundId, seconds, { status, created: null, updated: null, amount: null, currency: null }),
      paymentId: null,
    },
    error: null,
    sha256: digest([id, seconds, result]),
  };
};

export const actionFailed = (
  id: string,
  seconds: number,
  kind: 'timeout' | 'network' | 'declined' | 'unknown' = 'timeout',
): ActedObservation => ({
  ...acted(id, seconds, 'none'),
  result: null,
  facts: null,
  error: { kind, httpStatus: kind === 'declined' ? 422 : null, code: null },
  sha256: digest([id, seconds, kind]),
});

export interface EventGiven extends RefundGiven {
  readonly eventId?: string;
  readonly type?: string;
  readonly role?: EventObservation['role'];
}

export const event = (refundId: string, seconds: number, refund: EventGiven = {}): EventObservation => {
  const type = given(refund.type, 'PAYMENT.CAPTURE.REFUNDED');
  const eventId = given(refund.eventId, `WH-${refundId}-${type}-${given(refund.status, 'COMPLETED')}`);
  const facts = refundFacts(refundId, seconds, refund);
  return {
    kind: 'event',
    at: at(seconds),
    source: source(3),
    dedupeKey: digest([eventId, type, refundId, facts.status]),
    eventId,
    type,
    role: given(refund.role, 'refund'),
    facts,
    occurredAt: printInstant(at(seconds)),
    sha256: digest([eventId, facts]),
  };
};

export interface ReadGiven extends RefundGiven {
  readonly attempt?: number;
  readonly outcome?: 'ok' | 'absent' | 'error';
  readonly retryAfterMs?: number;
  readonly bodyId?: string;
}

export const read = (id: string, seconds: number, refundId: string, refund: ReadGiven = {}): ReadObservation => {
  const outcome = given(refund.outcome, 'ok');
  const facts = refundFacts(given(refund.bodyId, refundId), seconds, refund);
  const body: JsonObject = {
    id: facts.refundId,
    status: facts.status ?? '',
    amount: { value: facts.amount ?? '', currency_code: facts.currency ?? '' },
    ...(facts.createdAt === null ? {} : { create_time: facts.createdAt }),
  };
  return {
    kind: 'read',
    operationId: id,
    at: at(seconds),
    source: source(4),
    channel: 'refund_readback',
    purpose: 'poll',
    resourceId: refundId,
    attempt: refund.attempt ?? null,
    outcome,
    error: outcome === 'error' ? { kind: 'rate_limited', retryAfterMs: refund.retryAfterMs ?? null } : null,
    body: outcome === 'ok' ? body : null,
    facts: outcome === 'ok' ? [facts] : [],
    isList: false,
    sha256: digest([refundId, seconds, body, outcome]),
  };
};

export const list = (id: string, seconds: number, refunds: readonly RefundFacts[]): ReadObservation => ({
  ...read(id, seconds, 'list'),
  channel: 'payment_readback',
  purpose: 'list',
  resourceId: null,
  body: {},
  facts: refunds,
  isList: true,
  sha256: digest([id, seconds, refunds]),
});

export const reviewed = (
  id: string,
  seconds: number,
  revision: number,
  decision: ReviewObservation['decision'],
): ReviewObservation => ({
  kind: 'review',
  operationId: id,
  at: at(seconds),
  source: source(5),
  answers: `paypal:merchant-1:${CAPTURE}/${id}:${revision}`,
  decision,
  reason: 'The bank confirmed it on the telephone.',
  reviewer: 'alice',
  decidedAt: printInstant(at(seconds)),
  sha256: digest([id, seconds, revision, decision]),
});

export interface Played {
  readonly state: PaymentState;
  readonly step: PaymentStep;
  readonly verdicts: readonly VerdictRecord[];
  /** the last revision of an operation */
  readonly last: (id?: string) => VerdictRecord;
  /** every revision of an operation as `VERDICT reason` */
  readonly revisions: (id?: string) => string[];
}

/** Plays observations in the order given; the clock is their own time and never goes back. Then it moves on to `until`. */
export const play = (
  contracts: ContractSet,
  observations: readonly Observation[],
  untilSeconds?: number,
  ref: PaymentRef = PAYPAL,
  before: PaymentState | null = null,
): Played => {
  let clock = before?.touchedAt ?? 0;
  const appliedAt = observations.map((observation) => {
    clock = Math.max(clock, observation.at);
    return clock;
  });
  const now = Math.max(clock, untilSeconds === undefined ? clock : at(untilSeconds));
  const step = reducePayment(contracts, { ref, state: before, observations, appliedAt, now });
  const of = (id: string) => step.verdicts.filter((verdict) => verdict.operation_id === id);
  return {
    state: step.state,
    step,
    verdicts: step.verdicts,
    last: (id = 'op-1') => {
      const last = of(id).at(-1);
      if (last === undefined) throw new Error(`no verdict for ${id}`);
      return last;
    },
    revisions: (id = 'op-1') => of(id).map(({ verdict, reason }) => `${verdict} ${reason}`),
  };
};

/** How the conditions of an operation stand after `observations`, published or not. */
export const judgedAfter = (
  contracts: ContractSet,
  observations: readonly Observation[],
  untilSeconds?: number,
): JudgedCondition[] => {
  const { state } = play(contracts, observations, untilSeconds);
  const view = viewPayment(state, contracts);
  const operation = view.operations.get('op-1');
  const now = untilSeconds === undefined ? state.touchedAt : at(untilSeconds);
  const judged = operation === undefined ? null : judgeOperation(view, operation, now);
  return describeJudgement(judged?.evaluation.judgement ?? null);
};

/** How the first condition stands: its result, and why where it is unknown. */
export const outcomeAfter = (...given: Parameters<typeof judgedAfter>): string => {
  const [first] = judgedAfter(...given);
  return [first?.result, first?.why].filter((part) => part != null).join(' ');
};
