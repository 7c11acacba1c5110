import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { OperatingError } from '../../errors.ts';
import { type Line, LineSplitter } from './line-splitter.ts';

/** Small: what is read at once is in memory at once, and what the collector finds alive it has to copy. */
const CHUNK_BYTES = 64 * 1024;

/** Stands for standard input among file names. */
export const STANDARD_INPUT = '-';

const why = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'Z_BUF_ERROR') return 'the gzip stream ends too early';
  if (code === 'Z_DATA_ERROR') return 'the gzip stream is damaged';
  return error instanceof Error ? error.message : String(error);
};

const unreadable = (file: string, error: unknown): OperatingError =>
  new OperatingError('INPUT_UNREADABLE', `cannot read ${file}: ${why(error)}`, { cause: error, context: { file } });

/** Checks that each file is there and may be read, before any work is done. Throws INPUT_UNREADABLE naming the first that is not. */
export const checkInputFiles = async (files: readonly string[]): Promise<void> => {
  for (const file of files) {
    if (file === STANDARD_INPUT) continue;
    try {
      await access(file, constants.R_OK);
      if ((await stat(file)).isDirectory()) throw Object.assign(new Error('folder'), { code: 'EISDIR' });
    } catch (error) {
      throw unreadable(file, error);
    }
  }
};

const isGzip = (start: Buffer): boolean => start[0] === 0x1f && start[1] === 0x8b;

async function* plainChunks(stream: Readable, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    onBytes(bytes.length);
    yield bytes;
  }
}

async function* chunksOf(stream: Readable, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const source = plainChunks(stream, onBytes);
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 2) {
    const next = await source.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield start;
    yield* source;
  };
  if (!isGzip(start)) {
    yield* whole();
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // A failure reaches the reader through `gunzip` itself; this promise only must not stay unhandled.
  const fed = pipeline(Readable.from(whole(), { objectMode: false }), gunzip).catch(() => undefined);
  for await (const chunk of gunzip) yield chunk as Buffer;
  await fed;
}

/**
 * The lines of a file, of standard input (`-`), or of either gzipped (told by its first bytes), in pieces as they are read.
 * Memory is bounded by a piece and one line. Throws INPUT_UNREADABLE.
 * @param onBytes hears how many bytes of the file itself were read, for progress
 */
export async function* readLines(
  file: string,
  onBytes: (count: number) => void = () => undefined,
): AsyncGenerator<Line[]> {
  const stream = file === STANDARD_INPUT ? process.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const splitter = new LineSplitter();
  try {
    for await (const chunk of chunksOf(stream, onBytes)) {
      const lines = splitter.push(chunk);
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    throw error instanceof OperatingError ? error : unreadable(file, error);
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}
