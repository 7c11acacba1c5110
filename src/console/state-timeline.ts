import {
  type ContractSet,
  deadlineOf,
  describeJudgement,
  type EpochMs,
  findingsOf,
  instantMs,
  judgeOperation,
  type Observation,
  type OperationState,
  type PaymentState,
  type RefundFacts,
  type Source,
  type VerdictRecord,
  viewPayment,
  wantedReads,
} from '../evaluator/index.ts';
import { presentOf } from './present.ts';
import { sayObservation } from './sentences.ts';
import type { Timeline, TimelineEntry } from './timeline.ts';
import { rememberedVerdict, type ToldVerdict } from './told-verdict.ts';

/** Of some records the state keeps what they said and not where they stood. */
const NOT_KEPT: Source = { topic: 'state', partition: 0, offset: '' };

const factsOf = (state: PaymentState, refundId: string | null): RefundFacts | null => {
  const refund = refundId === null ? undefined : state.refunds[refundId];
  return refund?.acted?.facts ?? refund?.event?.facts ?? null;
};

const ofOperation = (state: PaymentState, id: string, operation: OperationState): Observation[] => {
  const observations: Observation[] = [];
  const { start } = operation;
  if (start !== null) observations.push({ kind: 'started', operationId: id, ...start });
  for (const action of operation.actions) {
    observations.push({
      kind: 'acted',
      operationId: id,
      at: action.at,
      source: state.refunds[action.refundId ?? '']?.acted?.source ?? NOT_KEPT,
      completedAt: action.completedAt,
      result: action.result,
      facts: factsOf(state, action.refundId),
      error: action.error as Extract<Observation, { kind: 'acted' }>['error'],
      sha256: action.sha256,
    });
  }
  for (const review of operation.reviews) {
    observations.push({ kind: 'review', operationId: id, source: NOT_KEPT, ...review });
  }
  return observations;
};

const ofPayment = (state: PaymentState, operationId: string): Observation[] => {
  const observations: Observation[] = [];
  for (const event of state.events) {
    const facts = event.refundId === null ? null : (state.refunds[event.refundId]?.event?.facts ?? null);
    observations.push({
      kind: 'event',
      at: event.at,
      source: event.source,
      dedupeKey: event.key,
      eventId: event.id,
      type: event.type,
      role: event.role,
      // The refund's facts are the latest; the event said the status that it had then.
      facts: facts === null ? null : { ...facts, status: event.status },
      occurredAt: event.occurredAt,
      sha256: event.sha256,
    });
  }
  const read = { kind: 'read', operationId, purpose: 'poll', attempt: null, outcome: 'ok', error: null } as const;
  for (const [refundId, refund] of Object.entries(state.refunds)) {
    for (const [channel, { at, source, facts, body, sha256 }] of Object.entries(refund.reads ?? {})) {
      const about = { at, source, channel, resourceId: refundId, body, sha256 };
      observations.push({ ...read, ...about, facts: [facts], isList: false });
    }
  }
  for (const [channel, { at, source, refundIds, body, sha256 }] of Object.entries(state.lists)) {
    const facts = refundIds.flatMap((id) => state.refunds[id]?.listed?.facts ?? []);
    observations.push({ ...read, at, source, channel, resourceId: null, body, sha256, facts, isList: true });
  }
  return observations;
};

const recordEntry = (observation: Observation, state: PaymentState, operationId: string): TimelineEntry => ({
  form: 'record',
  at: observation.at,
  source: observation.source,
  kind: observation.kind,
  sentence: sayObservation(observation, state.provider, operationId),
  isRepeat: false,
  changes: [],
});

/**
 * One operation's story as far as its payment's state keeps it: the records that counted, the revisions that were published
 * (what they said in full is in the verdicts topic), and every condition as it stands at `now`. Null where the payment has no such
 * operation.
 * @param published the revisions in full, oldest first, where they are at hand
 */
export const timelineOfState = (
  contracts: ContractSet,
  state: PaymentState,
  operationId: string,
  now: EpochMs,
  published: readonly VerdictRecord[] = [],
): Timeline | null => {
  const view = viewPayment(state, contracts);
  const operation = view.operations.get(operationId);
  if (operation === undefined) return null;
  const judged = judgeOperation(view, operation, now);
  const subject = judged?.subject ?? null;
  const evaluation = judged?.evaluation ?? null;

  const revisions: readonly ToldVerdict[] =
    published.length > 0 ? published : operation.state.published.map((one) => rememberedVerdict(state, operation, one));
  const last = revisions.at(-1) ?? null;

  const entries: TimelineEntry[] = [
    ...[...ofOperation(state, operationId, operation.state), ...ofPayment(state, operationId)].map((observation) =>
      recordEntry(observation, state, operationId),
    ),
    ...revisions.map(
      (verdict): TimelineEntry => ({ form: 'revision', at: instantMs(verdict.decided_at) ?? 0, verdict }),
    ),
  ];
  // Of the same instant: the records first, then what they led to.
  entries.sort((a, b) => a.at - b.at || Number(a.form === 'revision') - Number(b.form === 'revision'));

  const contract = subject?.contract ?? null;
  const deadline = subject === null ? null : deadlineOf(subject);
  return {
    operationId,
    payment: { provider: state.provider, account: state.account, paymentId: state.paymentId },
    contract: contract?.ref ?? last?.contract ?? null,
    entries,
    last,
    present: presentOf(last, judged, now),
    conditions: subject === null ? [] : describeJudgement(evaluation?.judgement ?? null),
    meanings: Object.fromEntries((contract?.verified ?? []).map(({ rule }) => [rule.name, rule.meaning])),
    findings: subject === null || evaluation === null ? [] : findingsOf(subject, evaluation.verdict),
    awaited: {
      reads: subject === null ? [] : [...wantedReads(subject)].sort((a, b) => a.dueAt - b.dueAt),
      deadline: deadline !== null && deadline > now ? deadline : null,
      escalateTo: contract?.contract.on_timeout.escalate_to ?? null,
      evaluateAt: state.evaluateAt,
    },
    asOf: now,
  };
};
