import {
  type ContractSet,
  deadlineOf,
  describeJudgement,
  type EpochMs,
  type Finding,
  findingsOf,
  instantMs,
  type JudgedCondition,
  type JudgedOperation,
  type Observation,
  type PaymentRef,
  type PaymentState,
  type ReducePayment,
  type Source,
  type Subject,
  type VerdictRecord,
  wantedReads,
} from '../evaluator/index.ts';
import { judgedAt, presentOf } from './present.ts';
import { sayObservation } from './sentences.ts';
import { conditionChanges, type Timeline, type TimelineEntry } from './timeline.ts';

interface Judged {
  readonly operation: JudgedOperation | null;
  readonly subject: Subject | null;
  readonly conditions: readonly JudgedCondition[];
  readonly findings: readonly Finding[];
}

const NOT_JUDGED: Judged = { operation: null, subject: null, conditions: [], findings: [] };

const eventsDropped = (state: PaymentState | null): number =>
  Object.values(state?.dropped ?? {}).reduce((sum, count) => sum + count, 0);

/** Tells one operation's story from its payment's observations, given one by one in the order they are applied. */
export class TimelineBuilder {
  readonly #contracts: ContractSet;
  readonly #reduce: ReducePayment;
  readonly #ref: PaymentRef;
  readonly #operationId: string;
  readonly #entries: TimelineEntry[] = [];
  #state: PaymentState | null = null;
  #evaluateAt: EpochMs | null = null;
  #judged: Judged = NOT_JUDGED;
  #last: VerdictRecord | null = null;

  constructor(contracts: ContractSet, reduce: ReducePayment, ref: PaymentRef, operationId: string) {
    this.#contracts = contracts;
    this.#reduce = reduce;
    this.#ref = ref;
    this.#operationId = operationId;
  }

  /** Applies an observation of the payment at the time reached. */
  apply(observation: Observation, at: EpochMs): void {
    this.passTime(at);
    const repeats = eventsDropped(this.#state);
    const told = this.#entries.length;
    const verdicts = this.#step([observation], at);
    const changes = this.#rejudge(at);
    // What was rejected stands behind the record that says it.
    this.#entries.splice(told, 0, {
      form: 'record',
      at,
      source: observation.source,
      kind: observation.kind,
      sentence: sayObservation(observation, this.#ref.provider, this.#operationId),
      isRepeat: eventsDropped(this.#state) > repeats,
      changes,
    });
    this.#publish(verdicts);
  }

  /** Tells of a record that is no evidence. */
  deadLetter(source: Source, at: EpochMs, code: string, reason: string): void {
    this.passTime(at);
    this.#entries.push({ form: 'dead_letter', at, source, code, reason });
  }

  /** Lets time pass: what falls due until then happens, each at its own instant. */
  passTime(to: EpochMs): void {
    while (this.#evaluateAt !== null && this.#evaluateAt <= to) {
      const at = this.#evaluateAt;
      const verdicts = this.#step([], at);
      const changes = this.#rejudge(at);
      if (changes.length > 0 || verdicts.length > 0) this.#entries.push({ form: 'time', at, changes });
      this.#publish(verdicts);
    }
  }

  finish(now: EpochMs): Timeline {
    this.passTime(now);
    this.#rejudge(now);
    const { subject, conditions } = this.#judged;
    const contract = subject?.contract ?? null;
    const deadline = subject === null ? null : deadlineOf(subject);
    return {
      operationId: this.#operationId,
      payment: this.#ref,
      contract: contract?.ref ?? this.#last?.contract ?? null,
      entries: this.#entries,
      last: this.#last,
      present: presentOf(this.#last, this.#judged.operation, now),
      conditions,
      meanings: Object.fromEntries((contract?.verified ?? []).map(({ rule }) => [rule.name, rule.meaning])),
      findings: this.#judged.findings,
      awaited: {
        reads: subject === null ? [] : [...wantedReads(subject)].sort((a, b) => a.dueAt - b.dueAt),
        deadline: deadline !== null && deadline > now ? deadline : null,
        escalateTo: contract?.contract.on_timeout.escalate_to ?? null,
        evaluateAt: this.#evaluateAt,
      },
      asOf: now,
    };
  }

  #step(observations: readonly Observation[], at: EpochMs): readonly VerdictRecord[] {
    const appliedAt = observations.map(() => at);
    const input = { ref: this.#ref, state: this.#state, observations, appliedAt, now: at };
    const step = this.#reduce(this.#contracts, input);
    this.#state = step.state;
    this.#evaluateAt = step.evaluateAt;
    for (const { index, code, reason } of step.rejections) {
      const rejected = observations[index];
      if (rejected !== undefined)
        this.#entries.push({ form: 'dead_letter', at, source: rejected.source, code, reason });
    }
    return step.verdicts.filter((verdict) => verdict.operation_id === this.#operationId);
  }

  #publish(verdicts: readonly VerdictRecord[]): void {
    for (const verdict of verdicts) {
      this.#last = verdict;
      this.#entries.push({ form: 'revision', at: instantMs(verdict.decided_at) ?? 0, verdict });
    }
  }

  /** Judges the operation anew and says what came out differently. */
  #rejudge(now: EpochMs): ReturnType<typeof conditionChanges> {
    const before = this.#judged.conditions;
    this.#judged = this.#judge(now);
    return conditionChanges(before, this.#judged.conditions);
  }

  #judge(now: EpochMs): Judged {
    if (this.#state === null) return NOT_JUDGED;
    const judged = judgedAt(this.#contracts, this.#state, this.#operationId, now);
    if (judged === null || judged.subject === null) return { ...NOT_JUDGED, operation: judged };
    return {
      operation: judged,
      subject: judged.subject,
      conditions: describeJudgement(judged.evaluation.judgement),
      findings: findingsOf(judged.subject, judged.evaluation.verdict),
    };
  }
}
