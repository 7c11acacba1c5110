import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatingError } from '../../errors.ts';

/** What the embedded mode keeps, and where. */
export interface DataFolder {
  readonly path: string;
  /** every record that came in, in order */
  readonly journal: string;
  /** every revision, a line each */
  readonly verdicts: string;
  /** every receipt, a line each */
  readonly receipts: string;
  /** every record that was set aside, a line each */
  readonly deadLetters: string;
  /** where a running `serve` answers, as JSON */
  readonly address: string;
  /** how its records are admitted, as JSON */
  readonly admission: string;
  /** how far a followed file was taken */
  position(name: string): string;
}

export const dataFolder = (path: string): DataFolder => ({
  path,
  journal: join(path, 'journal'),
  verdicts: join(path, 'verdicts.jsonl'),
  receipts: join(path, 'receipts.jws'),
  deadLetters: join(path, 'dead-letters.jsonl'),
  address: join(path, 'serve.json'),
  admission: join(path, 'admission.json'),
  position: (name) => join(path, `followed-${name}.json`),
});

/** Makes the folder, for its owner's eyes alone. Throws JOURNAL_UNWRITABLE. */
export const makeDataFolder = async (path: string): Promise<DataFolder> => {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new OperatingError('JOURNAL_UNWRITABLE', `cannot make the folder ${path}: ${(cause as Error).message}`, {
      cause,
      context: { path },
    });
  }
  return dataFolder(path);
};

/** How a folder's records are judged. */
export interface ServedOptions {
  readonly trustGateway?: boolean;
  /** an absolute path */
  readonly contracts?: string;
}

/** Remembers how its records are judged: whoever judges them again must judge them the same. */
export const rememberServed = (folder: DataFolder, served: ServedOptions): Promise<void> =>
  writeFile(folder.admission, `${JSON.stringify(served)}\n`, { mode: 0o600 });

/** The options with what the folder's last `serve` was told, unless they say it themselves. */
export const asServed = async <T extends ServedOptions>(folder: DataFolder, options: T): Promise<T> => {
  try {
    return { ...(JSON.parse(await readFile(folder.admission, 'utf8')) as ServedOptions), ...options };
  } catch {
    // A folder of before this was remembered.
    return options;
  }
};

/** Says where this process answers, for the commands that work on the same folder. */
export const writeAddress = (folder: DataFolder, url: string): Promise<void> =>
  writeFile(folder.address, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });

export const removeAddress = (folder: DataFolder): Promise<void> => rm(folder.address, { force: true });

/** Where the process that works on the folder answers; null where none does. */
export const readAddress = async (folder: DataFolder): Promise<string | null> => {
  try {
    const { url, pid } = JSON.parse(await readFile(folder.address, 'utf8')) as { url: string; pid: number };
    process.kill(pid, 0);
    return url;
  } catch {
    // No file, or of a process that was killed.
    return null;
  }
};
