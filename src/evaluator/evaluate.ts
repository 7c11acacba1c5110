import { isMerelyMissing, type Judged, judge } from './compare.ts';
import type { CompiledComparison, CompiledRule } from './compile.ts';
import type {
  Advice,
  ContradictedCondition,
  ContradictionClass,
  EvidenceLevel,
  StateRule,
  VerdictName,
  VerifiedCondition,
} from './contract.ts';
import { moneyText } from './findings.ts';
import { isOutdated } from './fold.ts';
import { type HandoffJudgement, judgeHandoff } from './handoff-drift.ts';
import { instantMs } from './instant.ts';
import { lifeIsOpen, moneyMoved } from './money.ts';
import type { EpochMs } from './observation.ts';
import { refundsInEvents, type Subject } from './observed.ts';
import { earliest, latest } from './order.ts';

/** One rule of a contract and how it came out. */
export interface JudgedRule<Rule> extends CompiledRule<Rule> {
  readonly judged: Judged;
}

/** How the rules of a contract came out, each list in the contract's order. */
export interface Judgement {
  readonly verified: readonly JudgedRule<VerifiedCondition>[];
  readonly contradicted: readonly JudgedRule<ContradictedCondition>[];
  readonly states: readonly JudgedRule<StateRule>[];
}

/** What the evidence says of one operation at one instant. */
export interface Evaluation {
  readonly verdict: VerdictName;
  readonly class: ContradictionClass | null;
  /** a code */
  readonly reason: string;
  /** prose, written when asked for: most evaluations are never published */
  readonly detail: () => string;
  readonly advice: Advice;
  readonly escalatedTo: string | null;
  readonly moneyMoved: boolean | null;
  readonly duplicates: readonly string[];
  readonly judgement: Judgement | null;
  /** when this could change without a new record; null: never */
  readonly changesAt: EpochMs | null;
  /** until when a running window could still restore a verdict that this evaluation does not give */
  readonly heldUntil: EpochMs | null;
}

/** A contradiction that no contract has to state: one refund id verifies one operation. */
const CLAIMED = 'refund_claimed_by_other_operation';

const LEVELS: readonly EvidenceLevel[] = ['E0', 'E1', 'E2', 'E3'];

/** created_at (or observe_from) + timeout. */
export const deadlineOf = ({ operation: { start, contract } }: Pick<Subject, 'operation'>): EpochMs =>
  (observeFromMs(start.observeFrom) ?? start.at) + contract.contract.timing.timeout_ms;

const observeFromMs = (text: string | null): EpochMs | null => (text === null ? null : instantMs(text));

const meetsMinimum = (subject: Subject): boolean => {
  const { evidence } = subject.contract.contract;
  let channels = 0;
  for (const channel of subject.contract.channels.values()) {
    if (LEVELS.indexOf(channel.channel.level) < LEVELS.indexOf(evidence.minimum_level)) continue;
    if (evidence.independent_channel_required && channel.channel.independence === 'action') continue;
    const hasSpoken =
      channel.events !== null
        ? subject.eventsOf(channel).length > 0
        : channel.reads === 'payment'
          ? subject.listOf(channel.name) !== null
          : subject.readOf(channel.name) !== null;
    if (hasSpoken) channels += 1;
  }
  return channels >= evidence.minimum_channels;
};

const isCorrelated = (subject: Subject): boolean => {
  const { correlation } = subject.contract.contract;
  const { binding } = subject;
  if (correlation.required_assurance === 'strong' && binding?.assurance !== 'strong') return false;
  return correlation.strategies.every((one) => !one.required || binding?.strategy === one.strategy);
};

/** A newer event or list says that the bound refund is dead: what was read before proves nothing until it is read again. */
const isOvertaken = (subject: Subject): boolean => {
  const refund = subject.sources;
  if (subject.contract.contract.evidence.attribution !== 'operations' || refund === undefined) return false;
  if (refund.event?.facts.state !== 'dead' && refund.listed?.facts.state !== 'dead') return false;
  return Object.values(refund.reads ?? {}).every((answer) => isOutdated(answer, refund));
};

/** `declined`, and a list read after the stale window holds no refund that could be the operation's. */
const holdsNoRefund = (subject: Subject): boolean => {
  const { actions } = subject.operation.state;
  const { evidence, timing } = subject.contract.contract;
  if (evidence.attribution !== 'operations' || subject.binding !== null || actions.length === 0) return false;
  if (!actions.every((action) => action.error?.kind === 'declined') || subject.count.unowned > 0) return false;
  const readableFrom = Math.max(...actions.map((action) => action.at)) + timing.stale_read_window_ms;
  for (const channel of subject.contract.channels.values()) {
    if (channel.reads === 'payment' && (subject.listOf(channel.name)?.at ?? Number.NEGATIVE_INFINITY) >= readableFrom) {
      return true;
    }
  }
  return false;
};

/** The extra refunds: all that count but the one that is, or could be, the operation's own. */
const duplicatesOf = (subject: Subject): readonly string[] => {
  if (subject.contract.contract.evidence.attribution === 'operations') {
    return subject.count.least > 1
      ? withoutOwn(
          subject,
          subject.count.counted.map(({ id }) => id),
        )
      : [];
  }
  for (const { comparison, rule } of subject.contract.contradicted) {
    const channel = subject.contract.channels.get(comparison.path.channel ?? '');
    if (rule.class !== 'duplicate_side_effect' || channel === undefined) continue;
    const ids = refundsInEvents(subject, channel);
    if (ids.length > 1) return withoutOwn(subject, ids);
  }
  return [];
};

const withoutOwn = (subject: Subject, ids: readonly string[]): readonly string[] => {
  const own = subject.binding?.refundId;
  return own !== undefined && ids.includes(own) ? ids.filter((id) => id !== own) : ids.slice(1);
};

type Decision = Pick<Evaluation, 'verdict' | 'class' | 'reason' | 'detail' | 'advice' | 'escalatedTo'>;

const decide = (
  verdict: VerdictName,
  reason: string,
  detail: () => string,
  advice: Advice,
  rest: { class?: ContradictionClass; escalatedTo?: string } = {},
): Decision => ({ verdict, class: rest.class ?? null, reason, detail, advice, escalatedTo: rest.escalatedTo ?? null });

const adviceOf = (rule: StateRule): Advice => rule.advice ?? (rule.verdict === 'VERIFIED' ? 'none' : 'ask_person');

const contradictionAdvice = (kind: ContradictionClass): Advice =>
  kind === 'duplicate_side_effect' ? 'do_not_retry' : 'ask_person';

interface Contradiction {
  readonly name: string;
  readonly class: ContradictionClass;
  readonly reason: string;
}

const contradictions = (
  subject: Subject,
  judged: Judgement['contradicted'],
  { drifts }: HandoffJudgement,
): Contradiction[] => {
  const found: Contradiction[] = [];
  const { binding } = subject;
  if (binding?.isClaimedByOther === true) {
    const reason = `The refund ${binding.refundId} belongs to an operation that was created before. One refund verifies one operation.`;
    found.push({ name: CLAIMED, class: 'pre_existing_state', reason });
  }
  for (const one of judged) if (one.judged.result === 'true') found.push(one.rule);
  // Last: where the money itself went wrong, that is what a reader must hear first.
  for (const { name, detail } of drifts) found.push({ name, class: 'handoff_drift', reason: detail });
  return found;
};

/** The first state rule that matches and gives a verdict other than PENDING, or the first that gives PENDING. */
const matchingState = (states: Judgement['states'], isPending: boolean): StateRule | undefined =>
  states.find(({ rule, judged }) => judged.result === 'true' && (rule.verdict === 'PENDING') === isPending)?.rule;

/** An unknown contradiction holds VERIFIED back, unless it says that a missing value may pass. */
const holdsBack = ({ rule, judged }: JudgedRule<ContradictedCondition>): boolean =>
  judged.result === 'unknown' && !(rule.when_unknown === 'pass' && isMerelyMissing(judged));

/** The order of judgement (DESIGN §5): contradictions, decisive states, VERIFIED, then the clock. */
const conclude = (subject: Subject, judgement: Judgement, handoff: HandoffJudgement): Decision => {
  const { verified, contradicted, states } = judgement;
  const { contract } = subject.contract;
  const found = contradictions(subject, contradicted, handoff);
  const [first] = found;
  if (first !== undefined) {
    const detail = (): string => found.map((one) => `${one.reason} (${one.name})`).join(' ');
    return decide('CONTRADICTED', first.name, detail, contradictionAdvice(first.class), { class: first.class });
  }
  const decisive = matchingState(states, false);
  if (decisive !== undefined) {
    const advice = failureAdvice(subject, adviceOf(decisive));
    return decide(decisive.verdict, decisive.name, () => decisive.reason, advice, {
      ...(decisive.verdict === 'CONTRADICTED' ? { class: decisive.class ?? 'rejected' } : {}),
      ...(advice === 'ask_person' && decisive.escalate_to !== undefined ? { escalatedTo: decisive.escalate_to } : {}),
    });
  }
  if (holdsNoRefund(subject)) {
    return decide(
      'FAILED',
      'provider_holds_no_refund',
      () => 'The provider declined the refund and, read after the stale read window, holds none for this payment.',
      'retry_same_key',
    );
  }
  const escalation = { escalatedTo: contract.on_timeout.escalate_to };
  if (subject.view.payment.isLimited) {
    const detail = (): string =>
      'The payment has more refunds or events than are kept; what is not kept cannot be ruled out.';
    return decide('UNVERIFIABLE', 'state_limit', detail, 'ask_person', escalation);
  }
  const isProven = !contradicted.some(holdsBack) && verified.every(({ judged }) => judged.result === 'true');
  const isPlanned = handoff.openUntil === null;
  if (isProven && isPlanned && isCorrelated(subject) && meetsMinimum(subject) && !isOvertaken(subject)) {
    return decide('VERIFIED', 'all_conditions_hold', () => proof(subject), 'none');
  }
  const pending = matchingState(states, true);
  const reason = pending?.name ?? 'awaiting_evidence';
  const why = (): string => pending?.reason ?? awaited(subject, judgement, isPlanned);
  if (subject.now < deadlineOf(subject)) return decide('PENDING', reason, why, 'wait');
  return decide('UNVERIFIABLE', contract.on_timeout.reason, () => `${reason}: ${why()}`, 'ask_person', escalation);
};

/** A failed refund beside a live one that may be its retry: retrying again could send the money twice. */
const failureAdvice = (subject: Subject, advice: Advice): Advice =>
  advice === 'retry_same_key' && subject.count.most > 0 ? 'ask_person' : advice;

const WHY: Readonly<Record<string, string>> = {
  missing: 'not stated',
  no_answer: 'not read yet',
  expected_missing: 'nothing to compare with yet',
  type_mismatch: 'of another type than expected',
  stale_read: 'read too soon after the action to disprove',
  attribution_window_open: 'a refund nobody owns yet may belong to another operation',
  owner_ambiguous: 'a refund could belong to more than one operation',
  list_too_long: 'a list longer than what is kept of it',
  list_incomplete: 'a list that goes on beyond what was read',
  refund_details_unknown: 'a refund of the payment is not known well enough',
};

/** Of an operation without a refund no read can speak, so it is the refund that is missing and not the read. */
const whyUnknown = (subject: Subject, { path }: CompiledComparison, why: string): string => {
  const reads = subject.contract.channels.get(path.channel ?? '')?.reads;
  return why === 'no_answer' && subject.binding === null && reads === 'refund'
    ? 'no refund is bound'
    : (WHY[why] ?? why);
};

/** What was proven, in words. */
const proof = (subject: Subject): string => {
  const { id, version } = subject.contract.ref;
  const { refund } = subject;
  if (refund === undefined) return `Every condition of ${id} ${version} holds.`;
  return `Every condition of ${id} ${version} holds for the refund ${refund.id} of ${moneyText(refund)}, which the provider states as ${refund.status ?? 'not stated'}.`;
};

/** What is still awaited, in words. */
const awaited = (subject: Subject, { verified, contradicted }: Judgement, isPlanned: boolean): string => {
  const parts: string[] = [];
  if (!isPlanned) parts.push('the plan that it names is not known yet');
  if (!isCorrelated(subject)) parts.push('no refund is bound to the operation by a strong key');
  const say = ({ rule, comparison, judged: { why } }: JudgedRule<{ readonly name: string }>): void => {
    parts.push(why === null ? `${rule.name} does not hold` : `${rule.name}: ${whyUnknown(subject, comparison, why)}`);
  };
  for (const one of verified) if (one.judged.result !== 'true') say(one);
  for (const one of contradicted) {
    if (one.judged.result === 'unknown' && !isMerelyMissing(one.judged)) say(one);
  }
  if (isOvertaken(subject)) parts.push('a newer event says that the refund did not go through');
  if (parts.length === 0) parts.push('the evidence is below the minimum that the contract asks for');
  return `Waiting for evidence: ${parts.join('; ')}.`;
};

/**
 * Judges one operation at `subject.now`. Pure and total: the same evidence and the same instant give the same evaluation,
 * in whatever order the evidence came.
 */
export const evaluate = (subject: Subject): Evaluation => {
  const judgement: Judgement = {
    contradicted: subject.contract.contradicted.map(({ rule, comparison }) => ({
      rule,
      comparison,
      judged: judge(subject, comparison, 'disprove'),
    })),
    states: subject.contract.states.map(({ rule, comparison }) => ({
      rule,
      comparison,
      judged: judge(subject, comparison, rule.verdict === 'PENDING' ? 'prove' : 'disprove'),
    })),
    verified: subject.contract.verified.map(({ rule, comparison }) => ({
      rule,
      comparison,
      judged: judge(subject, comparison, 'prove'),
    })),
  };
  const handoff = judgeHandoff(subject);
  const decision = conclude(subject, judgement, handoff);
  const deadline = deadlineOf(subject);
  const { now, count } = subject;
  const stale = subject.staleUntil;
  const staleEnd = stale > now && lifeIsOpen(subject) ? stale : null;
  return {
    verdict: decision.verdict,
    class: decision.class,
    reason: decision.reason,
    detail: decision.detail,
    advice: decision.advice,
    escalatedTo: decision.escalatedTo,
    moneyMoved: moneyMoved(subject, decision.reason),
    duplicates: duplicatesOf(subject),
    judgement,
    changesAt: earliest(earliest(now < deadline ? deadline : null, count.nextWindowEnd), handoff.openUntil),
    heldUntil: latest(latest(staleEnd, count.openUntil), handoff.openUntil),
  };
};
