import { readFile, rm, writeFile } from 'node:fs/promises';
import { OperatingError } from '../../errors.ts';

/** The journals this process holds: after a crash in a container the next process often has the same pid. */
const held = new Set<string>();

const lockPath = (path: string): string => `${path}.lock`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Takes the journal for this process, by a file beside it. The lock of a process that is gone counts for nothing. Throws JOURNAL_LOCKED. */
export const lockJournal = async (path: string): Promise<void> => {
  if (held.has(path)) {
    throw new OperatingError('JOURNAL_LOCKED', `the journal ${path} is already open in this process`, {
      context: { path },
    });
  }
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await writeFile(lockPath(path), `${process.pid}\n`, { flag: 'wx' });
      held.add(path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new OperatingError('JOURNAL_UNWRITABLE', `cannot write ${lockPath(path)}: ${error}`, {
          cause: error,
          context: { path },
        });
      }
    }
    const holder = Number(await readFile(lockPath(path), 'utf8').catch(() => '0'));
    if (holder > 0 && holder !== process.pid && isAlive(holder)) {
      const message = `the journal ${path} is in use by process ${holder}; if that is no Countersign, remove ${lockPath(path)}`;
      throw new OperatingError('JOURNAL_LOCKED', message, { context: { path, holder } });
    }
    await rm(lockPath(path), { force: true });
  }
  throw new OperatingError('JOURNAL_LOCKED', `the journal ${path} is being opened by another process`, {
    context: { path },
  });
};

/** Gives the journal free. */
export const unlockJournal = async (path: string): Promise<void> => {
  held.delete(path);
  await rm(lockPath(path), { force: true });
};
