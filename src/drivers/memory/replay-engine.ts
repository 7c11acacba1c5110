import { admitRecords } from '../../consumers/admit-records.ts';
import { BatchCounts } from '../../consumers/batch-counts.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import type { DeadLetter, DecodedRecord, Undecodable } from '../../consumers/decoded-record.ts';
import { InlineBindings } from '../../consumers/inline-bindings.ts';
import { evaluatePassedTime } from '../../consumers/process-batch.ts';
import { RecordClock } from '../../consumers/record-clock.ts';
import { type ReducedPayment, reduceGroups } from '../../consumers/reduce-groups.ts';
import type { EpochMs, HandoffDecided, PaymentState, VerdictRecord } from '../../evaluator/index.ts';
import { WriteBackTable } from './write-back-table.ts';

/** verdicts of one step when time alone moves on */
const STEP_VERDICTS = 1000;

/** What a batch of records, or the passing of time, came to. */
export interface ReplayStep {
  /** in publication order */
  readonly verdicts: readonly VerdictRecord[];
  /** answers to requests for a plan, payment by payment */
  readonly handoffs: readonly HandoffDecided[];
  readonly deadLetters: readonly DeadLetter[];
}

interface Decided {
  readonly at: EpochMs;
  /** the record that caused it; -1: the passing of time, which comes before the records of the same instant */
  readonly cause: number;
  readonly verdict: VerdictRecord;
}

/**
 * The stages of the pipeline over one run's records, at the records' own time: no journal, no commit, nothing to wait for.
 * Memory is bounded by the payments held, whatever the number of records.
 */
export class ReplayEngine {
  readonly counts = new BatchCounts();
  readonly #deps: BatchDeps;
  readonly #clock = new RecordClock();
  readonly #table: WriteBackTable;
  readonly #bindings = new InlineBindings();

  constructor(deps: BatchDeps, options: { readonly liveStates?: number } = {}) {
    this.#deps = deps;
    this.#table = new WriteBackTable(options.liveStates);
  }

  /** the time reached, milliseconds since the epoch; 0 before the first record */
  get now(): EpochMs {
    return this.#clock.now;
  }

  /** payments held */
  get held(): number {
    return this.#table.size;
  }

  /** What is held of a payment; null where nothing is. */
  stateOf(paymentKey: string): PaymentState | null {
    return this.#table.get(paymentKey);
  }

  /** Applies records in log order, and every evaluation that falls due up to the last of them at its own instant. */
  apply(records: readonly (DecodedRecord | Undecodable)[]): ReplayStep {
    const { groups, deadLetters, counts, kinds } = admitRecords(this.#deps, records, {
      reach: (record, refused) => this.#clock.reach(record, refused),
      partitionOf: null,
      bindings: this.#bindings,
    });
    const touched = groups.list();
    const states = touched.map(({ key }) => this.#table.get(key));
    const { payments, rejected } = reduceGroups(this.#deps.reduce, this.#deps.contracts, touched, states, this.now);
    for (const { index, code } of rejected) counts.add(kinds[index] ?? 'unknown', code);
    this.counts.merge(counts);
    const decided: Decided[] = [];
    for (const payment of payments) this.#keep(payment, decided);
    this.#evaluateDue(decided, Number.POSITIVE_INFINITY);
    const handoffs = payments.flatMap(({ step }) => step.handoffs.map(({ decided: answer }) => answer));
    return { verdicts: inOrder(decided), handoffs, deadLetters: [...deadLetters, ...rejected] };
  }

  /** Moves time on without a record, in bounded steps; going back is no move. */
  *advance(to: EpochMs): Generator<ReplayStep> {
    this.#clock.advance(to);
    for (;;) {
      const decided: Decided[] = [];
      const isDone = this.#evaluateDue(decided, STEP_VERDICTS);
      yield { verdicts: decided.map(({ verdict }) => verdict), handoffs: [], deadLetters: [] };
      if (isDone) return;
    }
  }

  /** Soonest first, each payment up to its own due instant, so that verdicts come in the order of their time. */
  #evaluateDue(decided: Decided[], limit: number): boolean {
    for (let due = this.#table.nextDue(this.now); due !== null; due = this.#table.nextDue(this.now)) {
      if (decided.length >= limit) return false;
      const state = this.#table.get(due.paymentKey);
      if (state === null) throw new TypeError(`${due.paymentKey} is due and not held`);
      this.#keep(evaluatePassedTime(this.#deps, due.paymentKey, state, due.at), decided);
    }
    return true;
  }

  #keep({ key, step, causes }: ReducedPayment, decided: Decided[]): void {
    this.#table.set(key, step.state, step.evaluateAt);
    for (const [index, verdict] of step.verdicts.entries()) {
      decided.push({ at: Date.parse(verdict.decided_at), cause: causes[index] ?? -1, verdict });
    }
  }
}

const inOrder = (decided: Decided[]): VerdictRecord[] =>
  decided.sort((a, b) => a.at - b.at || a.cause - b.cause).map(({ verdict }) => verdict);
