import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { OperatingError } from '../../errors.ts';

/** Tries again while what a role needs to start is down; what waiting does not cure goes to the caller. */
export const persist = async <T>(
  { config, logger }: { readonly config: Config; readonly logger: Logger },
  run: () => Promise<T>,
): Promise<T> => {
  const { backoff_min_ms: minMs, backoff_max_ms: maxMs } = config.processing;
  for (let waitMs = minMs; ; waitMs = Math.min(waitMs * 2, maxMs)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof OperatingError) || !error.retryable) throw error;
      logger.warn({ code: error.code, retryInMs: waitMs }, `waiting to start: ${error.message}`);
      await wait(waitMs);
    }
  }
};
