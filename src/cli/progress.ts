import { statSync } from 'node:fs';
import { SingleBar } from 'cli-progress';
import { STANDARD_INPUT } from '../drivers/files/input-file.ts';

/** Tells a person how far a long read has come; says nothing where stderr is no terminal. */
export interface Progress {
  /** bytes of the files read */
  readonly onBytes: (count: number) => void;
  /** what has been done so far, e.g. `120,000 lines` */
  readonly tell: (text: string) => void;
  readonly stop: () => void;
}

const SILENT: Progress = { onBytes: () => undefined, tell: () => undefined, stop: () => undefined };

export const startProgress = (files: readonly string[]): Progress => {
  if (process.stderr.isTTY !== true || files.includes(STANDARD_INPUT)) return SILENT;
  const total = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {text}',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    fps: 8,
  });
  bar.start(total, 0, { text: '' });
  return {
    onBytes: (count) => bar.increment(count),
    tell: (text) => bar.update({ text }),
    stop: () => bar.stop(),
  };
};
