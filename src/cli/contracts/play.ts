import { createAdmission } from '../../consumers/admit.ts';
import { decodeLogLine } from '../../consumers/decode-log-line.ts';
import type { PlayRecords } from '../../contracts/cases.ts';
import { ReplayEngine } from '../../drivers/memory/replay-engine.ts';
import { instantMs } from '../../evaluator/instant.ts';
import { reducePayment } from '../../evaluator/reduce.ts';
import type { VerdictRecord } from '../../evaluator/verdict.ts';
import { printJson } from '../../records/json-text.ts';

/** Plays a case's lines through the stages that every record goes through, at the records' own time. */
export const playRecords: PlayRecords = (lines, until, contracts) => {
  const admission = createAdmission({ contracts, endpoints: [], testMode: false, trustGateway: true });
  const engine = new ReplayEngine({ contracts, reduce: reducePayment, admission });
  const records = lines.map((line, index) => decodeLogLine('case', index + 1, printJson({ ...line })));
  const step = engine.apply(records);
  const verdicts: VerdictRecord[] = [...step.verdicts];
  const untilMs = instantMs(until);
  if (untilMs !== null) for (const { verdicts: later } of engine.advance(untilMs)) verdicts.push(...later);
  return {
    verdicts,
    refusals: [...step.deadLetters].sort((a, b) => a.index - b.index),
  };
};
