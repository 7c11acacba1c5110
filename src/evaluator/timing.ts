import { judge, type Purpose } from './compare.ts';
import type { CompiledChannel, CompiledComparison } from './compile.ts';
import { staleUntil } from './correlation.ts';
import { deadlineOf } from './evaluate.ts';
import { weakCandidate } from './findings.ts';
import { isNewer } from './fold.ts';
import { own } from './json.ts';
import type { EpochMs } from './observation.ts';
import type { Subject } from './observed.ts';
import type { FoldedFacts, PollState, RefundState } from './state.ts';
import type { DueRead } from './step.ts';

/** Without a result of the action, the search for a candidate starts this long after the operation. */
export const SEARCH_AFTER_MS = 60_000;
/** An event's own poll gives up this long after the event. */
export const EVENT_POLL_MS = 3_600_000;
/** A last read that fails is tried again, but not longer than this past the deadline. */
export const DEADLINE_GRACE_MS = 3_600_000;

const NO_POLL: PollState = { attempts: 0, answeredAt: null, erroredAt: null, retryAt: null };

/** interval × factor^(attempts − 1), at most the maximum. */
export const intervalAfter = (
  timing: { readonly poll_interval_ms: number; readonly backoff_factor: number; readonly backoff_max_ms: number },
  attempts: number,
): number =>
  Math.min(timing.poll_interval_ms * timing.backoff_factor ** Math.max(0, attempts - 1), timing.backoff_max_ms);

const isSettled = (folded: FoldedFacts | null | undefined): boolean =>
  folded?.facts.state === 'complete' || folded?.facts.state === 'dead';

/** Whether an answer says at least as much as an event or a list. */
const isNewEnough = (read: FoldedFacts, teller: FoldedFacts): boolean =>
  read.facts.status === teller.facts.status || !isNewer(teller, read);

/**
 * After an error: no sooner than the interval, nor than the provider asked for. As long again as errors have gone on since the
 * read was due, up to the maximum: so a provider that is away is asked ever more seldom, and no count has to be kept.
 */
const notBefore = (poll: PollState, due: EpochMs, interval: number, maxMs: number): EpochMs => {
  const hasFailedSince = poll.erroredAt !== null && poll.erroredAt >= (poll.answeredAt ?? Number.NEGATIVE_INFINITY);
  if (!hasFailedSince || poll.erroredAt === null) return Math.max(due, poll.retryAt ?? due);
  const waitMs = Math.min(Math.max(interval, poll.erroredAt - due), Math.max(interval, maxMs));
  return Math.max(due, poll.erroredAt + waitMs, poll.retryAt ?? due);
};

interface Clocked {
  readonly subject: Subject;
  readonly channel: CompiledChannel;
  readonly poll: PollState;
  readonly deadline: EpochMs;
}

const read = (
  { subject, channel, poll }: Clocked,
  resourceId: string | null,
  purpose: DueRead['purpose'],
  dueAt: EpochMs,
): DueRead => ({
  operationId: subject.operation.id,
  channel: channel.name,
  resourceId,
  purpose,
  attempt: poll.attempts + 1,
  dueAt,
});

/** The contract's own clock for one resource: initial delay, interval with backoff, attempts, one last read at the deadline. */
const scheduled = (
  clocked: Clocked,
  resourceId: string | null,
  from: EpochMs,
  purpose: 'poll' | 'candidate' | 'list',
): DueRead | null => {
  const { subject, poll, deadline } = clocked;
  const { timing } = subject.contract.contract;
  const interval = intervalAfter(timing, poll.attempts);
  const hasAnswered = poll.answeredAt !== null && poll.answeredAt >= from;
  const next = hasAnswered && poll.answeredAt !== null ? poll.answeredAt + interval : from + timing.initial_delay_ms;
  const dueAt = notBefore(poll, next, interval, timing.backoff_max_ms);
  if (poll.attempts < timing.max_attempts && dueAt < deadline) return read(clocked, resourceId, purpose, dueAt);
  const isPast = poll.answeredAt !== null && poll.answeredAt >= deadline;
  const lastAt = notBefore(poll, deadline, timing.poll_interval_ms, timing.backoff_max_ms);
  if (isPast || lastAt > deadline + DEADLINE_GRACE_MS) return null;
  return read(clocked, resourceId, 'deadline', lastAt);
};

/**
 * An event, or a list, newer than the answer opens a short poll of its own, after a terminal verdict and spent attempts too.
 * @param since from when the refund was told of as this operation's
 */
const prompted = (clocked: Clocked, refundId: string, refund: RefundState, since: EpochMs): DueRead | null => {
  const { poll } = clocked;
  const { timing } = clocked.subject.contract.contract;
  const answer = own(refund.reads ?? {}, clocked.channel.name);
  const pollFor = (teller: FoldedFacts): DueRead | null => {
    const toldAt = answer === undefined ? Math.max(teller.at, since) : teller.at;
    const answeredAt = poll.answeredAt !== null && poll.answeredAt >= toldAt ? poll.answeredAt : null;
    const waitMs =
      answeredAt === null ? 0 : Math.min(Math.max(timing.poll_interval_ms, answeredAt - toldAt), timing.backoff_max_ms);
    const dueAt = notBefore(poll, (answeredAt ?? toldAt) + waitMs, timing.poll_interval_ms, timing.backoff_max_ms);
    return dueAt > toldAt + EVENT_POLL_MS ? null : read(clocked, refundId, 'event', dueAt);
  };
  const { event, listed } = refund;
  const isEventAhead = event !== undefined && (answer === undefined || !isNewEnough(answer, event));
  const isListAhead =
    listed !== undefined && answer !== undefined && listed.facts.status !== null && !isNewEnough(answer, listed);
  return soonest([isEventAhead ? pollFor(event) : null, isListAhead ? pollFor(listed) : null]);
};

const soonest = (reads: readonly (DueRead | null)[]): DueRead | null =>
  reads.reduce((first, one) => (one !== null && (first === null || one.dueAt < first.dueAt) ? one : first), null);

/** When an event last told of a refund that the operation reported: which one is bound may have changed by it. */
const toldAt = ({ operation, view }: Subject): EpochMs => {
  const events = [...operation.reported.keys()].map((id) => own(view.payment.refunds, id)?.event?.at);
  return Math.max(Number.NEGATIVE_INFINITY, ...events.filter((at) => at !== undefined));
};

/** Whether an answer from inside the stale read window leaves open what a later one could settle. */
const mayChange = ({ subject, channel }: Clocked, answer: FoldedFacts): boolean => {
  if (answer.facts.state === 'dead') return true;
  const isOpen = ({ comparison }: { comparison: CompiledComparison }, purpose: Purpose): boolean =>
    comparison.path.channel === channel.name && judge(subject, comparison, purpose).why === 'stale_read';
  const { verified, contradicted } = subject.contract;
  return verified.some((rule) => isOpen(rule, 'prove')) || contradicted.some((rule) => isOpen(rule, 'disprove'));
};

/** Reads of the bound refund. */
const boundReads = (clocked: Clocked): DueRead | null => {
  const { subject, channel } = clocked;
  const { binding, operation } = subject;
  const refund = subject.sources;
  if (binding === null || refund === undefined) return null;
  const answer = subject.readOf(channel.name);
  const from = operation.reported.get(binding.refundId) ?? refund.seenAt;
  const { staleUntil } = subject;
  const isLasting =
    answer !== null && (answer.at >= staleUntil || !mayChange(clocked, answer)) && !subject.isOutdated(answer);
  const event = prompted(clocked, binding.refundId, refund, toldAt(subject));
  // A settled answer that was not read too soon: no further read could change a condition, unless an event says more.
  if (isSettled(answer) && isLasting) return event;
  const poll = scheduled(clocked, binding.refundId, from, 'poll');
  if (poll !== null && isSettled(answer) && poll.purpose === 'poll') {
    return soonest([event, { ...poll, dueAt: Math.max(poll.dueAt, staleUntil) }]);
  }
  return soonest([event, poll]);
};

/** When the action's answer counts as lost: at its error, or a minute after the start without a result. */
const searchFrom = (subject: Subject): EpochMs => {
  const { state, start } = subject.operation;
  const errors = state.actions.filter((action) => action.error !== null).map((action) => action.at);
  return errors.length > 0 ? Math.min(...errors) : start.at + SEARCH_AFTER_MS;
};

/** Reads of a refund that might be the operation's, or is not known well enough to be counted. */
const candidateReads = (clocked: Clocked): DueRead[] => {
  const { subject, channel, poll } = clocked;
  const reads: DueRead[] = [];
  const candidate = weakCandidate(subject);
  for (const view of subject.view.refunds.values()) {
    const owner = subject.view.owners.get(view.id);
    const isOwnOther = owner === subject.operation.id && view.id !== subject.binding?.refundId;
    const isHearsay = !view.isSeenAtProvider || view.state === 'unknown';
    // Dead by a read that came too soon to disprove: it may count until it is read again.
    const settlesAt = staleUntil(view.id, view, subject.operation);
    const isTooSoon = view.state === 'dead' && view.isRead && view.at < settlesAt;
    if (owner !== undefined && !(isOwnOther && (isHearsay || isTooSoon))) continue;
    const isUnknown = view.createdAt === null || view.amount === null || view.otherMoney === null || isOwnOther;
    if (view !== candidate && !isUnknown && !isTooSoon) continue;
    const answer = own(own(subject.view.payment.refunds, view.id)?.reads ?? {}, channel.name);
    if (isSettled(answer) && !isTooSoon) continue;
    const due = scheduled(
      { ...clocked, poll: answer === undefined ? { ...poll, answeredAt: null } : poll },
      view.id,
      view.seenAt,
      'candidate',
    );
    if (due !== null) reads.push(isTooSoon ? { ...due, dueAt: Math.max(due.dueAt, settlesAt) } : due);
    if (reads.length === 10) break;
  }
  return reads;
};

/** Reads of the list of the payment's refunds: to find a lost answer, and to count refunds whose events were lost. */
const listReads = (clocked: Clocked): DueRead | null => {
  const { subject, channel, poll } = clocked;
  const { binding, operation } = subject;
  if (binding === null) return scheduled(clocked, null, searchFrom(subject), 'candidate');
  const settledAt = Object.values(subject.sources?.reads ?? {}).find((answer) => isSettled(answer))?.at;
  if (settledAt === undefined) return null;
  const list = subject.listOf(channel.name);
  const hasRead = (list !== null && list.at >= settledAt) || (poll.answeredAt !== null && poll.answeredAt >= settledAt);
  const { timing } = subject.contract.contract;
  const dueAt = notBefore(
    poll,
    Math.max(settledAt, operation.reported.get(binding.refundId) ?? settledAt),
    timing.poll_interval_ms,
    timing.backoff_max_ms,
  );
  return hasRead || dueAt > clocked.deadline ? null : read(clocked, null, 'list', dueAt);
};

const isReadable = (subject: Subject, { needs }: CompiledChannel): boolean =>
  needs === null || subject.look(needs).kind === 'value';

/** Every read now wanted for the operation, by its contract's clock: at most one for each channel and resource. */
export const wantedReads = (subject: Subject): DueRead[] => {
  const wanted: DueRead[] = [];
  const deadline = deadlineOf(subject);
  for (const channel of subject.contract.channels.values()) {
    if (channel.reads === null || !isReadable(subject, channel)) continue;
    const clocked: Clocked = {
      subject,
      channel,
      poll: own(subject.operation.state.polls, channel.name) ?? NO_POLL,
      deadline,
    };
    if (channel.reads === 'payment') {
      const list = listReads(clocked);
      if (list !== null) wanted.push(list);
      continue;
    }
    const bound = boundReads(clocked);
    if (bound !== null) wanted.push(bound);
    wanted.push(...candidateReads(clocked));
  }
  return wanted;
};
