import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { type Line, LineSplitter, MAX_LINE_BYTES } from './line-splitter.ts';

const CHUNK_BYTES = 1024 * 1024;
const LF = 10;

interface Position {
  /** the file by its number in the file system: a rotated one has another */
  readonly file: string;
  /** bytes taken, whole lines only */
  readonly offset: number;
  /** lines taken */
  readonly lines: number;
}

export interface FollowOptions {
  readonly path: string;
  /** where the position is kept, so that a restart goes on from there */
  readonly positionPath: string;
  readonly pollMs: number;
  /** Takes lines; they count as taken when it resolves. */
  readonly take: (lines: readonly Line[]) => Promise<void>;
}

const START: Omit<Position, 'file'> = { offset: 0, lines: 0 };

const readPosition = async (path: string): Promise<Position | null> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Position;
  } catch {
    return null;
  }
};

const writePosition = async (path: string, position: Position): Promise<void> => {
  await writeFile(`${path}.new`, JSON.stringify(position));
  await rename(`${path}.new`, path);
};

/** The bytes from `offset` on up to and with a line end; a line too long to hold comes in pieces until its end. */
const readWholeLines = async (file: FileHandle, offset: number): Promise<Buffer> => {
  for (let size = CHUNK_BYTES; ; size *= 2) {
    const buffer = Buffer.alloc(size);
    const { bytesRead } = await file.read(buffer, 0, size, offset);
    const last = buffer.subarray(0, bytesRead).lastIndexOf(LF);
    if (last !== -1) return buffer.subarray(0, last + 1);
    if (bytesRead < size) return Buffer.alloc(0);
    // Longer than a line may be: it is handed on without its end, and refused as too long.
    if (size > MAX_LINE_BYTES) return buffer.subarray(0, bytesRead);
  }
};

/**
 * Follows a file that grows, as `tail -F` does: from where it was left, and from the start where it was replaced or cut. Lines
 * are taken once, save those under way in a crash, which come again. A file that is not there yet is waited for.
 */
export const followFile = (options: FollowOptions): { stop(): Promise<void>; readonly failed: Promise<never> } => {
  const { path, positionPath, pollMs, take } = options;
  let isStopped = false;
  let wake: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);

  /** Takes everything there is; answers with the position reached. */
  const catchUp = async (file: FileHandle, from: Position | null): Promise<Position> => {
    const { ino, dev, size } = await file.stat();
    const name = `${dev}:${ino}`;
    let at: Position = from?.file === name && from.offset <= size ? from : { file: name, ...START };
    while (!isStopped) {
      const bytes = await readWholeLines(file, at.offset);
      if (bytes.length === 0) break;
      const splitter = new LineSplitter();
      const lines = [...splitter.push(bytes), ...splitter.end()];
      const first = at.lines;
      await take(lines.map((line) => ({ ...line, number: first + line.number })));
      const ends = bytes.reduce((count, byte) => count + (byte === LF ? 1 : 0), 0);
      at = { file: name, offset: at.offset + bytes.length, lines: first + ends };
      await writePosition(positionPath, at);
    }
    return at;
  };

  const run = async (): Promise<void> => {
    let at = await readPosition(positionPath);
    while (!isStopped) {
      const file = await open(path, 'r').catch(() => null);
      if (file !== null) {
        try {
          at = await catchUp(file, at);
        } finally {
          await file.close();
        }
      }
      if (isStopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const running = run().catch(fail);
  return {
    failed,
    stop: async () => {
      isStopped = true;
      wake();
      await running;
    },
  };
};
