import type { EpochMs } from '../../src/evaluator/index.ts';
import { printInstant } from '../../src/evaluator/index.ts';
import { Evidence } from './evidence.ts';
import { groupBy } from './group-by.ts';
import { contractsOf, type Published } from './pipeline.ts';
import type { Run } from './run.ts';
import {
  extraKnownAt,
  extraRefunds,
  extrasDeadAt,
  goodRefund,
  isRightMoney,
  isUnexplained,
  othersExplainedAt,
  ownRefunds,
} from './truth.ts';
import {
  changeAt,
  createdAt,
  isFinallyLive,
  operationsOf,
  refundsOf,
  type TrueOperation,
  type TrueRefund,
} from './world.ts';

const NEVER = Number.POSITIVE_INFINITY;
const HOUR_MS = 3_600_000;
const ATTRIBUTION_WINDOW_MS = 120_000;
const STALE_READ_WINDOW_MS = 20_000;
/** How long after the evidence a wrong verdict may stand: the attribution window and a minute. */
const REVISED_WITHIN_MS = ATTRIBUTION_WINDOW_MS + 60_000;

/** What must never be. */
export const RULES = [
  'verified_without_its_refund',
  'verified_while_not_complete',
  'verified_after_failure',
  'verified_twice',
  'double_unflagged',
  'false_alarm',
  'money_misreported',
  'duplicates_misnamed',
  'retry_misadvised',
  'not_settled',
  'not_verified',
  'revisions_broken',
  'forgery_admitted',
  'record_refused',
  'forgery_heard',
  'order_shows',
  'reads_exceeded',
  'former_owner_commits',
  'applied_twice',
  'skipped',
  'time_ran_ahead',
  'lost',
  'dead_letters_differ',
  'sequence_broken',
  'rate_exceeded',
  'process_died',
  'not_live',
  'receipts_broken',
  'plan_over_ceiling',
  'plan_changed',
  'plan_unjustified',
  'authority_spent_twice',
  'request_unanswered',
  'refusal_untrue',
  'drift_missed',
  'review_wrong',
] as const;

export type Rule = (typeof RULES)[number];

export interface Breach {
  readonly rule: Rule;
  readonly operationId: string | null;
  readonly text: string;
}

/** A revision and until when it stood. */
export interface Stood extends Published {
  readonly until: EpochMs;
}

const byOperation = new WeakMap<Run['verdicts'], ReadonlyMap<string, readonly Published[]>>();

export const revisionsOf = (run: Run, operation: TrueOperation): Stood[] => {
  let all = byOperation.get(run.verdicts);
  if (all === undefined) {
    all = groupBy(run.verdicts, ({ verdict }) => verdict.operation_id);
    byOperation.set(run.verdicts, all);
  }
  const own = all.get(operation.id) ?? [];
  return own.map((one, index) => ({ ...one, until: own[index + 1]?.at ?? NEVER }));
};

class Oracle {
  readonly #run: Run;
  readonly #evidence: Evidence;
  readonly #refunds: ReadonlyMap<string, TrueRefund>;
  readonly breaches: Breach[] = [];

  constructor(run: Run) {
    this.#run = run;
    this.#evidence = new Evidence(run);
    this.#refunds = new Map(refundsOf(run.world).map((refund) => [refund.id, refund]));
  }

  #breach(rule: Breach['rule'], operation: TrueOperation, text: string): void {
    this.breaches.push({ rule, operationId: operation.id, text });
  }

  check(operation: TrueOperation): void {
    const revisions = revisionsOf(this.#run, operation);
    if (this.#evidence.startedAt(operation) === NEVER) return;
    this.#settled(operation, revisions);
    for (const revision of revisions) {
      if (revision.verdict.verdict === 'VERIFIED') this.#verified(operation, revision);
      if (revision.verdict.verdict === 'CONTRADICTED' || revision.verdict.verdict === 'FAILED')
        this.#alarm(operation, revision);
    }
    this.#doubled(operation, revisions.at(-1));
    this.#provable(operation, revisions.at(-1));
  }

  /** Every operation ends terminal or before a person; revisions are numbered without gaps. */
  #settled(operation: TrueOperation, revisions: readonly Stood[]): void {
    const last = revisions.at(-1)?.verdict;
    if (last === undefined) {
      this.#breach('not_settled', operation, 'it never got a verdict');
      return;
    }
    const isTold = last.verdict === 'UNVERIFIABLE' && last.escalated_to !== null;
    if (!isTold && !['VERIFIED', 'CONTRADICTED', 'FAILED'].includes(last.verdict))
      this.#breach(
        'not_settled',
        operation,
        `it ends ${last.verdict} ${last.reason}, escalated to ${last.escalated_to}`,
      );
    const isBroken = revisions.some(
      ({ verdict }, index) =>
        verdict.revision !== index + 1 ||
        (index > 0 && verdict.supersedes !== revisions[index - 1]?.verdict.verdict_id),
    );
    if (isBroken)
      this.#breach('revisions_broken', operation, revisions.map(({ verdict }) => verdict.revision).join(' '));
  }

  /** VERIFIED only where the intended money moved, once, on the intended payment, by this operation. */
  #verified(operation: TrueOperation, { verdict, at, until }: Stood): void {
    const refund = verdict.refund === null ? undefined : this.#refunds.get(verdict.refund.id);
    const when = printInstant(at);
    if (refund === undefined || !isRightMoney(operation, refund)) {
      this.#breach('verified_without_its_refund', operation, `VERIFIED at ${when} by ${verdict.refund?.id}`);
      return;
    }
    if (refund.madeBy !== operation.id) {
      const maker = operation.payment.operations.find(({ id }) => id === refund.madeBy);
      const knownAt =
        maker === undefined ? 0 : Math.max(this.#evidence.reportedAt(maker, refund), this.#evidence.startedAt(maker));
      if (Math.max(knownAt, at) + REVISED_WITHIN_MS < until)
        this.#breach(
          'verified_without_its_refund',
          operation,
          `VERIFIED at ${when} by ${refund.id} of ${refund.madeBy}`,
        );
      return;
    }
    const standing = changeAt(refund, at)?.standing;
    if (standing === 'pending')
      this.#breach('verified_while_not_complete', operation, `VERIFIED at ${when} while ${refund.id} was pending`);
    const stale = this.#evidence.reportedAt(operation, refund) + STALE_READ_WINDOW_MS;
    const deadAt = Math.max(this.#evidence.deadReadAt(refund, Number.isFinite(stale) ? stale : 0), at);
    if (!isFinallyLive(refund)) {
      if (deadAt + REVISED_WITHIN_MS < until)
        this.#breach(
          'verified_after_failure',
          operation,
          `a read said at ${printInstant(deadAt)} that ${refund.id} failed`,
        );
      return;
    }
    for (const extra of extraRefunds(operation, refund)) {
      const knownAt = extraKnownAt(this.#evidence, operation, extra);
      if (Math.max(knownAt, at) + REVISED_WITHIN_MS < until)
        this.#breach(
          'verified_twice',
          operation,
          `${extra.id} was known at ${printInstant(knownAt)} beside ${refund.id}`,
        );
    }
  }

  /** A double whose evidence was delivered ends CONTRADICTED, or UNVERIFIABLE where nobody could tell the owner. */
  #doubled(operation: TrueOperation, last: Stood | undefined): void {
    if (last === undefined) return;
    const { verdict } = last;
    const own = ownRefunds(this.#run.world, operation).filter(
      (refund) => isRightMoney(operation, refund) && this.#evidence.reportedAt(operation, refund) < NEVER,
    );
    const [bound] = own.filter((refund) => refund.changes.at(-1)?.standing !== 'dead');
    if (bound === undefined || this.#evidence.seenAt(bound) === NEVER) return;
    const known = extraRefunds(operation, bound).filter(
      (extra) => extraKnownAt(this.#evidence, operation, extra) + REVISED_WITHIN_MS < this.#run.world.endsAt,
    );
    if (known.length === 0 || verdict.verdict === 'CONTRADICTED') return;
    const isOpen = verdict.conditions.some(({ name, result }) => name.startsWith('duplicate_') && result === 'unknown');
    const makers = known.map(({ madeBy }) => operation.payment.operations.find(({ id }) => id === madeBy));
    const isTellable = makers.every(
      (maker, index) =>
        maker === undefined ||
        maker === operation ||
        this.#evidence.reportedAt(maker, known[index] as TrueRefund) < NEVER,
    );
    const isFlagged = verdict.verdict === 'UNVERIFIABLE' && (isOpen || verdict.findings.length > 0);
    if (isTellable || !isFlagged)
      this.#breach(
        'double_unflagged',
        operation,
        `ends ${verdict.verdict} beside ${known.map(({ id }) => id).join(' ')}`,
      );
  }

  /** No alarm over good refunds by operations that were published. */
  #alarm(operation: TrueOperation, { verdict, at, until }: Stood): void {
    const good = goodRefund(this.#run.world, operation);
    if (good === null) return;
    const wasDead = ownRefunds(this.#run.world, operation).some((own) => changeAt(own, at)?.standing === 'dead');
    if (verdict.verdict === 'FAILED' && wasDead) return;
    const explainedAt = othersExplainedAt(this.#evidence, this.#run.world, operation);
    // What was a double until its death was told: the reads that confirm it take as long as a revision may.
    const aloneAt = extrasDeadAt(this.#evidence, operation, good);
    if (aloneAt > 0 && until <= Math.max(aloneAt, explainedAt) + REVISED_WITHIN_MS) return;
    // Before the good refund was made, the failed attempt is all that there is.
    if (verdict.verdict === 'FAILED' && at < createdAt(good)) return;
    const isExcused = isUnexplained(this.#evidence, this.#run.world, operation, at, ATTRIBUTION_WINDOW_MS);
    if (!isExcused || explainedAt + REVISED_WITHIN_MS < until)
      this.#breach(
        'false_alarm',
        operation,
        `${verdict.verdict} ${verdict.reason} at ${printInstant(at)}; ${good.id} is good`,
      );
  }

  /** What is good, reported and told of within the deadline ends VERIFIED. */
  #provable(operation: TrueOperation, last: Stood | undefined): void {
    const good = goodRefund(this.#run.world, operation);
    if (good === null || last === undefined || last.verdict.verdict === 'VERIFIED') return;
    const timing = contractsOf(this.#run.weather).resolve(operation.contract, operation.version, operation.createdAt);
    const deadline = operation.createdAt + (timing?.contract.timing.timeout_ms ?? 0);
    const isShopify = operation.payment.provider === 'shopify';
    const toldAt = isShopify ? this.#evidence.anyEventAt(good) : this.#evidence.completeEventAt(good);
    const completeAt = good.changes.at(-1)?.at ?? NEVER;
    const provenAt = Math.max(
      toldAt,
      this.#evidence.reportedAt(operation, good),
      othersExplainedAt(this.#evidence, this.#run.world, operation),
      extrasDeadAt(this.#evidence, operation, good),
    );
    // No event tells of a Shopify transaction that succeeds later: only the contract's own polls can.
    const isOutOfSight = isShopify && Math.max(completeAt, toldAt) + 13 * HOUR_MS > deadline;
    const hasUntold = operation.payment.operations.some(
      (other) => other !== operation && this.#evidence.anyReportAt(other) === NEVER,
    );
    if (hasUntold || isOutOfSight || provenAt + 2 * HOUR_MS > this.#run.world.endsAt) return;
    const { verdict, reason } = last.verdict;
    this.#breach('not_verified', operation, `ends ${verdict} ${reason}; ${good.id} is good and was told of`);
  }
}

/** Checks what any delivery of records must hold to, asked reads or not. */
export const judgeRun = (run: Run): Breach[] => {
  const oracle = new Oracle(run);
  for (const operation of operationsOf(run.world)) oracle.check(operation);
  return oracle.breaches;
};
