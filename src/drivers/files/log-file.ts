import { decodeLogLine } from '../../consumers/decode-log-line.ts';
import type { DecodedRecord, Undecodable } from '../../consumers/decoded-record.ts';
import type { Source } from '../../evaluator/index.ts';
import { readLines } from './input-file.ts';
import { type Line, MAX_LINE_BYTES } from './line-splitter.ts';

/** A line of a record log with what it was read as. */
export interface LogFileLine {
  readonly file: string;
  readonly line: Line;
  readonly decoded: DecodedRecord | Undecodable;
}

/** Lines handed on together: enough to amortise what a batch costs, few enough to hold. */
const BATCH_LINES = 1000;

const decodeLine = (file: string, line: Line): DecodedRecord | Undecodable => {
  const source: Source = { topic: file, partition: 0, offset: String(line.number) };
  if (line.form === 'too_long') {
    const reason = `the line has ${line.length} bytes, at most ${MAX_LINE_BYTES} are read`;
    return { source, timestamp: null, code: 'RECORD_TOO_LARGE', reason };
  }
  if (line.form === 'not_utf8') {
    return { source, timestamp: null, code: 'RECORD_MALFORMED', reason: 'the line is not UTF-8 text' };
  }
  return decodeLogLine(file, line.number, line.text);
};

/**
 * The records of log files, one after another, in batches. A line that is no record comes as {@link Undecodable}. Throws
 * INPUT_UNREADABLE.
 * @param onBytes hears how many bytes of the files were read, for progress
 */
export async function* readLogFiles(
  files: readonly string[],
  onBytes?: (count: number) => void,
): AsyncGenerator<LogFileLine[]> {
  for (const file of files) {
    for await (const lines of readLines(file, onBytes)) {
      for (let start = 0; start < lines.length; start += BATCH_LINES) {
        yield lines.slice(start, start + BATCH_LINES).map((line) => ({ file, line, decoded: decodeLine(file, line) }));
      }
    }
  }
}
