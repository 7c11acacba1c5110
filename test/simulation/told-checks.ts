import { printInstant } from '../../src/evaluator/index.ts';
import { Evidence } from './evidence.ts';
import { type Breach, type Rule, revisionsOf, type Stood } from './oracle.ts';
import type { Run } from './run.ts';
import { changeAt, operationsOf, refundsOf, type TrueOperation, type TrueRefund, wasEverDead } from './world.ts';

type Wrong = (rule: Rule, text: string) => Breach;

const wasComplete = (refund: TrueRefund, at: number): boolean =>
  refund.changes.some((change) => change.standing === 'complete' && change.at <= at);

/** `money_moved` is what a ledger posts by: true only of a refund that the provider itself told of and that was complete, false of none that lives. */
const moneyTold = (
  { verdict, at }: Stood,
  refund: TrueRefund | undefined,
  evidence: Evidence,
  wrong: Wrong,
): Breach[] => {
  const when = printInstant(at);
  const { money_moved: hasMoved } = verdict;
  if (hasMoved === true) {
    if (refund !== undefined && wasComplete(refund, at) && evidence.seenAt(refund) <= at) return [];
    return [wrong('money_misreported', `the money moved, says it at ${when}, by ${verdict.refund?.id}`)];
  }
  if (hasMoved !== false || refund === undefined || wasEverDead(refund)) return [];
  return [wrong('money_misreported', `no money moved, says it at ${when}; ${refund.id} never failed`)];
};

/** What is named as one too many is a live refund, and not the one that is the operation's. */
const duplicatesTold = ({ verdict, at }: Stood, refunds: ReadonlyMap<string, TrueRefund>, wrong: Wrong): Breach[] => {
  const { ids, count } = verdict.duplicates;
  if (verdict.refund !== null && ids.includes(verdict.refund.id))
    return [wrong('duplicates_misnamed', `${verdict.refund.id} is named as its own duplicate`)];
  if (count < ids.length || new Set(ids).size !== ids.length)
    return [wrong('duplicates_misnamed', `${count} duplicates, named ${ids.join(' ')}`)];
  return ids.flatMap((id) => {
    const refund = refunds.get(id);
    if (refund !== undefined && changeAt(refund, at) !== null) return [];
    return [wrong('duplicates_misnamed', `${id} is no refund, at ${printInstant(at)}`)];
  });
};

/** A retry is advised of a failure alone, and never of a refund that did not fail. */
const adviceTold = ({ verdict, at }: Stood, own: readonly TrueRefund[], wrong: Wrong): Breach[] => {
  if (verdict.advice !== 'retry_same_key') return [];
  if (verdict.verdict !== 'FAILED') return [wrong('retry_misadvised', `a retry is advised of ${verdict.verdict}`)];
  const named = own.find(({ id }) => id === verdict.refund?.id);
  if (named === undefined || wasEverDead(named)) return [];
  return [wrong('retry_misadvised', `a retry is advised at ${printInstant(at)}; ${named.id} never failed`)];
};

const toldOf = (
  run: Run,
  operation: TrueOperation,
  refunds: ReadonlyMap<string, TrueRefund>,
  evidence: Evidence,
): Breach[] => {
  const wrong: Wrong = (rule, text) => ({ rule, operationId: operation.id, text });
  const own = operation.payment.refunds.filter(({ madeBy }) => madeBy === operation.id);
  // A house's shards have times of their own, behind those at which records came: there it is asked whether it ever was so.
  const revisions = revisionsOf(run, operation).map((stood) =>
    run.isCore ? stood : { ...stood, at: run.world.endsAt },
  );
  return revisions.flatMap((stood) => [
    ...moneyTold(stood, refunds.get(stood.verdict.refund?.id ?? ''), evidence, wrong),
    ...duplicatesTold(stood, refunds, wrong),
    ...adviceTold(stood, own, wrong),
  ]);
};

/** What each verdict tells beside its judgement, by which ledgers and callers act: money, duplicates, advice. */
export const toldTruly = (run: Run): Breach[] => {
  const refunds = new Map(refundsOf(run.world).map((refund) => [refund.id, refund]));
  const evidence = new Evidence(run);
  return operationsOf(run.world).flatMap((operation) => toldOf(run, operation, refunds, evidence));
};
