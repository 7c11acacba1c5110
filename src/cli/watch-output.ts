import type { Writable } from 'node:stream';
import { outputUnwritable } from './output-unwritable.ts';

/**
 * Hears of failures to write to a standard stream that nobody else waits for, and tells of the first. A reader that is gone
 * (`… | head`) is none.
 */
export const watchOutput = (stream: Writable, name: string, tell: (error: Error) => void): void => {
  let isTold = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever else listens writes in pieces, and throws what writing threw.
    if (error.code === 'EPIPE' || isTold || stream.listenerCount('error') > 1) return;
    isTold = true;
    tell(outputUnwritable(name, error));
  });
};
