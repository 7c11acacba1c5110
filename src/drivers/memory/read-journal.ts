import { type FileHandle, open } from 'node:fs/promises';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { OperatingError } from '../../errors.ts';
import { EmbeddedPipeline } from './embedded-pipeline.ts';
import { type JournalEntry, parseEntry } from './journal-entry.ts';
import { JOURNAL_MAGIC, readFrame } from './journal-frame.ts';

const READ_BYTES = 1024 * 1024;
/** Records that are applied together. */
const BATCH_RECORDS = 1000;

const openJournal = async (path: string): Promise<FileHandle> => {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw new OperatingError('INPUT_UNREADABLE', `cannot read the journal ${path}: ${(cause as Error).message}`, {
      cause,
      context: { path },
    });
  }
};

/**
 * The entries of a journal, which another process may be writing: what is whole by now. Neither locks nor mends it. Throws
 * INPUT_UNREADABLE, JOURNAL_CORRUPT.
 */
export async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  const file = await openJournal(path);
  try {
    let held = Buffer.alloc(0);
    let position = JOURNAL_MAGIC.length;
    for (;;) {
      const part = Buffer.alloc(READ_BYTES);
      const { bytesRead } = await file.read(part, 0, READ_BYTES, position);
      position += bytesRead;
      held = Buffer.concat([held, part.subarray(0, bytesRead)]);
      let at = 0;
      for (let frame = readFrame(held, at); frame.form === 'entry'; frame = readFrame(held, at)) {
        const entry = parseEntry(frame.payload);
        if (entry === null)
          throw new OperatingError('JOURNAL_CORRUPT', `the journal ${path} holds an entry of another form`);
        yield entry;
        at = frame.end;
      }
      held = held.subarray(at);
      // At the end, or at what is being written or was cut off.
      if (bytesRead === 0) return;
    }
  } finally {
    await file.close();
  }
}

/** The state that a journal comes to, in memory: nothing is written. Its `operations` hold every revision. */
export const replayJournal = async (deps: BatchDeps, path: string): Promise<EmbeddedPipeline> => {
  let now = 0;
  const pipeline = await EmbeddedPipeline.open({
    deps,
    clock: { now: () => now },
    journal: null,
    onWarning: () => undefined,
  });
  let held: Extract<JournalEntry, { form: 'record' }>[] = [];
  const flush = async (): Promise<void> => {
    const inputs = held.map(({ input }) => input);
    held = [];
    await pipeline.append(inputs);
  };
  for await (const entry of readJournal(path)) {
    if (held.length > 0 && (entry.at !== now || held.length >= BATCH_RECORDS)) await flush();
    now = entry.at;
    if (entry.form === 'record') held.push(entry);
    else await pipeline.tick();
  }
  await flush();
  return pipeline;
};
