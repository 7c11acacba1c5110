import type { EpochMs } from '../../src/evaluator/index.ts';
import { printInstant } from '../../src/evaluator/index.ts';
import { printJson } from '../../src/records/json-text.ts';
import type { Delivered } from './item.ts';
import type { Breach } from './oracle.ts';
import type { Run } from './run.ts';
import { majorUnits, type TrueOperation, type TruePayment, type TrueRefund } from './world.ts';

const clock = (at: EpochMs): string => printInstant(at).slice(5);
const moneyOf = ({ money }: { money: TrueRefund['money'] }): string => `${majorUnits(money)} ${money.currency}`;

const printOperation = (operation: TrueOperation): string => {
  const answers = operation.answers.map(({ at, refund, error }) => `${clock(at)} ${refund?.id ?? error}`).join(', ');
  const ref = operation.intentRef === null ? '' : ` for ${operation.intentRef}`;
  const retry = operation.retryOf === null ? '' : ` again after ${operation.retryOf}`;
  const heard = answers === '' ? 'heard nothing' : `heard: ${answers}`;
  return `  ${operation.id} [${operation.story}] ${operation.contract} started ${clock(operation.createdAt)} means ${moneyOf(operation)}${ref}${retry}; ${heard}`;
};

const printRefund = (refund: TrueRefund): string => {
  const life = refund.changes.map(({ at, standing }) => `${standing} ${clock(at)}`).join(', ');
  const echo = refund.echo === null ? '' : `, prints ${refund.echo}`;
  return `  ${refund.id} ${moneyOf(refund)} by ${refund.madeBy ?? 'the dashboard'}: ${life}${echo}`;
};

const printPayment = (payment: TruePayment): string[] => [
  `${payment.provider} ${payment.id} (its clock ${payment.skewMs} ms ahead)`,
  ...payment.operations.map(printOperation),
  ...payment.refunds.map(printRefund),
  ...payment.reversals.map(
    ({ id, money, changes }) => `  ${id} ${moneyOf({ money })} taken back by the bank ${clock(changes[0]?.at ?? 0)}`,
  ),
];

/** One line of a record log, in the form of RECORDS. */
export const printRecord = ({ item }: Delivered): string => printJson({ topic: item.topic, value: item.value });

const printVerdicts = (run: Run): string[] =>
  run.verdicts.map(({ verdict, at }) => {
    const escalated = verdict.escalated_to === null ? '' : `, told to a ${verdict.escalated_to}`;
    const open = verdict.conditions
      .filter(({ result }) => result === 'unknown')
      .map(({ name, why }) => `${name}: ${why}`);
    const findings = verdict.findings.map(({ code }) => code).join(' ');
    return `  ${clock(at)} ${verdict.operation_id}:${verdict.revision} ${verdict.verdict} ${verdict.reason} ${verdict.refund?.id ?? ''}${escalated} ${findings} ${open.length > 0 ? `(${open.join('; ')})` : ''}`.trimEnd();
  });

/** The command that runs a seed again. */
export const commandOf = (seed: number, isCore: boolean): string =>
  `npm run simulate -- --seed ${seed}${isCore ? ' --core' : ''}`;

/** A breach as a person reads it: what is wrong, the truth, the records that show it, the verdicts, how to run it again. */
export const printBreach = (breach: Breach, run: Run): string =>
  [
    `seed ${run.seed}: ${breach.rule}${breach.operationId === null ? '' : ` of ${breach.operationId}`}`,
    `  ${breach.text}`,
    '',
    'The truth:',
    ...run.world.payments.flatMap(printPayment),
    '',
    `The records (${run.delivered.length}), each with the instant of its arrival:`,
    ...run.delivered.flatMap((one) => [`# ${printInstant(one.at)}`, printRecord(one)]),
    '',
    'The verdicts:',
    ...printVerdicts(run),
    '',
    `Again: ${commandOf(run.seed, run.isCore)}`,
  ].join('\n');
