import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Played, PlayOptions } from './play.ts';
import { play } from './play.ts';

const JOB = fileURLToPath(new URL('job.ts', import.meta.url));

export interface JobsOptions {
  /** processes; 1: this one alone */
  readonly jobs: number;
  readonly play: PlayOptions;
  /** the next seed; null: enough were begun */
  readonly next: () => number | null;
  /** what one came to, in the order in which they end */
  readonly done: (played: Played) => void;
}

/** Gives a process one seed after the other. Rejects where it ends before it has answered. */
const feed = (child: ChildProcess, { play: options, next, done }: JobsOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    let seed: number | null = null;
    const more = (): void => {
      seed = next();
      if (seed === null) child.disconnect();
      else child.send(seed);
    };
    child.on('message', (played: Played) => {
      done(played);
      more();
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (seed === null) resolve();
      else reject(new Error(`the process that played seed ${seed} ended with ${signal ?? code}`));
    });
    child.send(options);
    more();
  });

/** Plays seeds until there is no next one, in as many processes as are asked for. */
export const playSeeds = async (options: JobsOptions): Promise<void> => {
  if (options.jobs > 1) {
    const children = Array.from({ length: options.jobs }, () => fork(JOB));
    try {
      await Promise.all(children.map((child) => feed(child, options)));
    } finally {
      for (const child of children) child.kill();
    }
    return;
  }
  for (let seed = options.next(); seed !== null; seed = options.next()) options.done(await play(seed, options.play));
};
