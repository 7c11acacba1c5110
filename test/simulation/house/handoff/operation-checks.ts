import type { VerdictRecord } from '../../../../src/evaluator/index.ts';
import type { Breach } from '../../oracle.ts';
import type { Run } from '../../run.ts';
import type { House } from '../house.ts';
import type { Start } from './desk.ts';

const SKEW_MS = 60_000;

const breachOf = (rule: Breach['rule'], { operation, conduct }: Start, text: string): Breach => ({
  rule,
  operationId: operation.id,
  text: `${operation.id} (${conduct}): ${text}`,
});

/** Whether an operation left its plan: in what it says, or by beginning after the plan was over. */
const hasLeft = ({ conduct, operation, decided }: Start): boolean | null => {
  if (conduct === 'amount' || conduct === 'key' || conduct === 'second') return true;
  const until = Date.parse(decided.plan?.hold_until ?? '');
  if (operation.createdAt <= until) return false;
  return operation.createdAt > until + SKEW_MS ? true : null;
};

const checkStart = (start: Start, verdicts: readonly VerdictRecord[]): Breach[] => {
  const last = verdicts.at(-1);
  if (last === undefined) return [breachOf('not_settled', start, 'no verdict was published of it')];
  const left = hasLeft(start);
  const alarm = verdicts.find((verdict) => verdict.class === 'handoff_drift');
  if (left === false && alarm !== undefined)
    return [breachOf('false_alarm', start, `it keeps to its plan, and is ${alarm.reason}: ${alarm.detail}`)];
  if (left === true && last.verdict !== 'CONTRADICTED')
    return [breachOf('drift_missed', start, `it left its plan, and ends ${last.verdict} ${last.reason}`)];
  return [];
};

/** An operation that keeps to its plan is not told to have left it, and one that leaves it is. */
export const checkOperations = (house: House, others: Pick<Run, 'verdicts'>): Breach[] =>
  house.desk.starts.flatMap((start) =>
    checkStart(
      start,
      others.verdicts.flatMap(({ verdict }) => (verdict.operation_id === start.operation.id ? [verdict] : [])),
    ),
  );
