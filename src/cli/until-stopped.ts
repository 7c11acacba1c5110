import type { Logger } from 'pino';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** What can be told to stop. */
export interface Stoppable {
  stop(): Promise<void>;
}

const LINGER_MS = 2000;

/**
 * The last resort: what a client has left open must not keep a process alive that has stopped. It says so, because it is a mistake
 * to be found. The timer itself holds nothing.
 */
const endIfHeld = (logger: Logger, code: ExitCode): void => {
  setTimeout(() => {
    logger.warn({ held: process.getActiveResourcesInfo() }, 'something was left open; going all the same');
    process.exit(code);
  }, LINGER_MS).unref();
};

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Starts a role and keeps it until SIGTERM or SIGINT, or until it says that it cannot go on; then stops it, within the time
 * it has. A second signal ends the process at once.
 */
export const untilStopped = async (
  logger: Logger,
  stopTimeoutMs: number,
  start: (onFatal: (error: unknown) => void) => Promise<Stoppable>,
): Promise<ExitCode> => {
  let end: (code: ExitCode) => void = () => undefined;
  const ended = new Promise<ExitCode>((resolve) => {
    end = resolve;
  });
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) process.exit(EXIT.failed);
    logger.info({ signal }, 'stopping');
    end(EXIT.ok);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const onFatal = (error: unknown): void => {
    logger.fatal({ err: error }, 'cannot go on');
    end(EXIT.failed);
  };

  try {
    const starting = start(onFatal);
    // A signal that comes while the role waits for its servers ends it there.
    const first = await Promise.race([starting, ended]);
    if (typeof first === 'number') process.exit(first);
    const code = await ended;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), stopTimeoutMs);
    });
    const how = await Promise.race([first.stop(), late]);
    clearTimeout(timer);
    if (how !== 'late') {
      logger.info('stopped');
      endIfHeld(logger, code);
      return code;
    }
    // What is unfinished was not committed, and its next owner does it again.
    logger.error({ stopTimeoutMs }, 'not finished in time; going all the same');
    process.exit(EXIT.failed);
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
};
