import { viewPayment } from '../../src/evaluator/correlation.ts';
import { judgeOperation } from '../../src/evaluator/reduce.ts';
import { rulesEngine } from '../peers/rules-engine.ts';
import { oneOperation } from './one-operation.ts';

/** Microseconds of CPU for one evaluation, each the median of several rounds. */
export interface EvaluationCost {
  readonly conditions: number;
  readonly oursMicros: number;
  readonly peerMicros: number;
}

const ROUNDS = 7;

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const cpuMicros = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};

/**
 * One evaluation of a PayPal refund with all its evidence, from the payment's state to a verdict, against the same rules in
 * json-rules-engine, which is given its facts with the refunds already counted and attributed. The rounds take turns.
 */
export const measureEvaluation = async (): Promise<EvaluationCost> => {
  const { contracts, contract, state, now, facts } = oneOperation();
  const run = rulesEngine(contract);
  const ours = (): string => {
    const view = viewPayment(state, contracts);
    const [operation] = view.operations.values();
    return operation === undefined ? 'none' : (judgeOperation(view, operation, now)?.evaluation.verdict ?? 'none');
  };
  const peer = async (): Promise<string> => (await run(facts)).join();
  const verdicts = [ours(), await peer()].join(' and ');
  if (verdicts !== 'VERIFIED and VERIFIED') throw new Error(`the two should both say VERIFIED, and say ${verdicts}`);
  const mine: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let before = process.cpuUsage();
    for (let turn = 0; turn < 20_000; turn += 1) ours();
    mine.push(cpuMicros(before) / 20_000);
    before = process.cpuUsage();
    for (let turn = 0; turn < 500; turn += 1) await peer();
    theirs.push(cpuMicros(before) / 500);
  }
  const conditions = contract.verified.length + contract.contradicted.length + contract.states.length;
  return { conditions, oursMicros: median(mine), peerMicros: median(theirs) };
};
