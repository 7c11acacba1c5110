import type { Logger } from 'pino';
import type { Line } from '../../drivers/files/line-splitter.ts';
import type { EmbeddedInput } from '../../drivers/memory/journal-entry.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { countDeadLetter } from './count.ts';
import type { DeadLetterFile } from './dead-letter-file.ts';
import type { Intake } from './intake.ts';
import { readRecord } from './read-records.ts';

export interface TakeLinesDeps {
  readonly intake: Intake;
  readonly deadLetters: DeadLetterFile;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const contentOf = (line: Line): { readonly value: string | null; readonly base64?: string } => {
  if (line.form === 'text') return { value: line.text };
  return line.form === 'not_utf8' ? { value: null, base64: line.bytes.toString('base64') } : { value: null };
};

const refusalOf = (line: Line): { readonly code: string; readonly reason: string } =>
  line.form === 'too_long'
    ? { code: 'RECORD_TOO_LARGE', reason: `the line has ${line.length} bytes` }
    : { code: 'RECORD_MALFORMED', reason: 'the line is not UTF-8 text' };

/** Takes lines of a stream: those that are no record are set aside, the others go through the pipeline, in order. */
export const takeLines = async (deps: TakeLinesDeps, from: string, lines: readonly Line[]): Promise<void> => {
  const inputs: EmbeddedInput[] = [];
  for (const line of lines) {
    const read = line.form === 'text' ? readRecord(line.text) : { ok: false as const, ...refusalOf(line) };
    if (read.ok) {
      inputs.push(read.input);
      continue;
    }
    const { code, reason } = read;
    deps.deadLetters.refuse({
      code,
      reason: `${from}:${line.number}: ${reason}`,
      topic: null,
      key: null,
      ...contentOf(line),
    });
    countDeadLetter(deps.metrics, code);
    deps.logger.warn({ from, line: line.number, code }, `a line is no record: ${reason}`);
  }
  if (inputs.length > 0) await deps.intake.take(inputs);
};
