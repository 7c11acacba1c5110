/**
 * Writes a log of realistic refunds in the form that `countersign replay` reads; the same on every machine for one seed.
 *
 *   npm run bench -- generate [--records 1000000] [--seed 1] [--out FILE]      (default: standard output)
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { generateRecords } from './load/generate-records.ts';

/** What was written. */
export interface WrittenLog {
  readonly records: number;
  readonly operations: number;
  readonly bytes: number;
}

const CHUNK_CHARS = 1024 * 1024;

/** Writes the log in pieces, waiting while the reader is behind. */
export const writeLog = async (out: NodeJS.WritableStream, records: number, seed: number): Promise<WrittenLog> => {
  let parts: string[] = [];
  let chars = 0;
  const written = { records: 0, operations: 0, bytes: 0 };
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(parts.join(''));
    parts = [];
    chars = 0;
    written.bytes += chunk.length;
    if (!out.write(chunk)) await once(out, 'drain');
  };
  for (const { topic, at, value } of generateRecords({ records, seed })) {
    if (value.startsWith('{"kind":"operation.started"')) written.operations += 1;
    written.records += 1;
    const line = `{"topic":"${topic}","timestamp":${at},"value":${value}}\n`;
    parts.push(line);
    chars += line.length;
    if (chars >= CHUNK_CHARS) await flush();
  }
  await flush();
  return written;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
    },
  });
  const out = values.out === undefined ? process.stdout : createWriteStream(values.out);
  const written = await writeLog(out, Number(values.records), Number(values.seed));
  process.stderr.write(`${JSON.stringify(written)}\n`);
  if (values.out !== undefined) out.end();
}
