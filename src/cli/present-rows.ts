import { isWaiting, judgedAt } from '../console/present.ts';
import type { ReplayEngine } from '../drivers/memory/replay-engine.ts';
import type { ContractSet } from '../evaluator/index.ts';
import type { VerdictRow } from './verdict-table.ts';

/** The rows with what an open verdict's detail is by the end of the run: its last revision tells of the time when it was published. */
export function* presentRows(
  rows: Iterable<VerdictRow>,
  engine: Pick<ReplayEngine, 'stateOf' | 'now'>,
  contracts: ContractSet,
): Generator<VerdictRow> {
  for (const row of rows) {
    const state = isWaiting({ verdict: row.verdict, escalated_to: null }) ? engine.stateOf(row.paymentKey) : null;
    const judged = state === null ? null : judgedAt(contracts, state, row.operationId, engine.now);
    const detail = judged?.evaluation.detail() ?? row.detail;
    yield detail === row.detail ? row : { ...row, detail: `Now: ${detail}` };
  }
}
