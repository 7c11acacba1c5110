import type { HouseRun } from './house/simulate-house.ts';
import { revisionsOf } from './oracle.ts';
import type { Run } from './run.ts';
import { extraRefunds, goodRefund, isRightMoney, ownRefunds } from './truth.ts';
import { isFinallyLive, operationsOf, type TrueOperation, type World } from './world.ts';

/** What many runs came to. */
export interface Summary {
  seeds: number;
  operations: number;
  records: number;
  reads: number;
  verdicts: number;
  breaches: number;
  /** steps of houses */
  events: number;
  /** kind of fault → how many */
  faults: Record<string, number>;
  /** the truth → the last verdict → how many operations */
  matrix: Record<string, Record<string, number>>;
}

export const newSummary = (): Summary => ({
  seeds: 0,
  operations: 0,
  records: 0,
  reads: 0,
  verdicts: 0,
  breaches: 0,
  events: 0,
  faults: {},
  matrix: {},
});

/** The truth of an operation in a word. */
const truthOf = (world: World, operation: TrueOperation): string => {
  const own = ownRefunds(world, operation);
  const live = own.filter(isFinallyLive);
  const [one] = live;
  if (goodRefund(world, operation) !== null) return 'one good refund';
  if (one === undefined) return own.length === 0 ? 'no refund' : 'failed';
  if (!live.every((refund) => isRightMoney(operation, refund))) return 'wrong money or payment';
  if (extraRefunds(operation, one).length > 0) return 'doubled';
  return one.changes.at(-1)?.standing === 'pending' ? 'never settles' : 'claims a refund not its own';
};

export const summarise = (summary: Summary, run: Run, house: HouseRun | null, breaches: number): void => {
  summary.events += house?.events ?? 0;
  for (const [kind, count] of Object.entries(house?.faults ?? {}))
    summary.faults[kind] = (summary.faults[kind] ?? 0) + count;
  summary.seeds += 1;
  summary.records += run.delivered.length;
  summary.reads += run.delivered.filter(({ item }) => item.about.kind === 'read').length;
  summary.verdicts += run.verdicts.length;
  summary.breaches += breaches;
  for (const operation of operationsOf(run.world)) {
    summary.operations += 1;
    const truth = truthOf(run.world, operation);
    const verdict = revisionsOf(run, operation).at(-1)?.verdict.verdict ?? 'none';
    const row = summary.matrix[truth] ?? {};
    summary.matrix[truth] = row;
    row[verdict] = (row[verdict] ?? 0) + 1;
  }
};

const addCounts = (sum: Record<string, number>, more: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
};

/** Adds what other runs came to. */
export const mergeSummary = (summary: Summary, { faults, matrix, ...counts }: Readonly<Summary>): void => {
  const { faults: _, matrix: __, ...own } = summary;
  addCounts(own, counts);
  Object.assign(summary, own);
  addCounts(summary.faults, faults);
  for (const [truth, row] of Object.entries(matrix)) {
    const sum = summary.matrix[truth] ?? {};
    summary.matrix[truth] = sum;
    addCounts(sum, row);
  }
};

/** How far it is, in a line. */
export const lineOf = (summary: Summary, seconds: number): string =>
  `${summary.seeds} seeds, ${summary.operations} operations, ${summary.records} records (${summary.reads} reads), ${summary.verdicts} verdicts, ${summary.breaches} breaches, ${seconds.toFixed(1)} s`;

const VERDICTS = ['VERIFIED', 'FAILED', 'CONTRADICTED', 'UNVERIFIABLE', 'PENDING', 'none'];

/** The figures and the matrix of truth against verdict, as text. */
export const matrixOf = (summary: Summary, seconds: number): string => {
  const line = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(28)}${cells.map((cell) => String(cell).padStart(14)).join('')}`;
  const rows = Object.entries(summary.matrix).sort(([a], [b]) => (a < b ? -1 : 1));
  const faults = Object.entries(summary.faults)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
  return [
    lineOf(summary, seconds),
    `${Math.round((summary.operations / seconds) * 60)} operations a minute, ${Math.round((summary.seeds / seconds) * 3600)} seeds an hour, ${summary.events} steps`,
    `faults: ${faults === '' ? 'none' : faults}`,
    '',
    line('truth', VERDICTS),
    ...rows.map(([truth, row]) =>
      line(
        truth,
        VERDICTS.map((verdict) => row[verdict] ?? 0),
      ),
    ),
    '',
  ].join('\n');
};
