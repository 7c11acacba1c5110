import { accountOf } from '../../config/accounts.ts';
import type { Config } from '../../config/schema.ts';
import { createProviderHttp } from '../../drivers/http/provider-http.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { Timers } from '../../ports/timers.ts';
import { Lane } from '../../producers/readback/lane.ts';
import type { Account } from '../../providers/account.ts';
import { createApiReader } from '../../providers/api-reader.ts';

export interface ReadbackLanes {
  /** `<provider>:<account>` → its way to the provider */
  readonly lanes: ReadonlyMap<string, Lane>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** A way to the provider for each configured account, with connections of its own. */
export const createLanes = (config: Config, limiter: RateLimiter, clock: Clock, timers: Timers): ReadbackLanes => {
  const { readback, limits } = config;
  const readerOf = (account: Account) =>
    createApiReader(
      account,
      createProviderHttp({
        apiBase: account.apiBase,
        timeoutMs: readback.call_timeout_ms,
        // As a string in JSON an answer may take up to twice its bytes.
        maxBytes: Math.min(readback.answer_bytes, Math.floor(limits.record_bytes / 2)),
        connections: account.concurrency,
        allowPrivate: readback.allow_private,
      }),
      clock,
    );
  const all = config.accounts.map((stated) => {
    const account = accountOf(stated);
    const reader = readerOf(account);
    const key = `${account.provider}:${account.account}`;
    const lane = new Lane({
      key,
      reader,
      rate: { perSecond: account.ratePerSecond, burst: account.burst },
      concurrency: account.concurrency,
      limiter,
      breaker: {
        failures: readback.breaker_failures,
        pauseMs: readback.breaker_pause_ms,
        pauseMaxMs: readback.breaker_pause_max_ms,
      },
      readTimeoutMs: readback.read_timeout_ms,
      clock,
      timers,
    });
    return { key, lane, reader };
  });
  return {
    lanes: new Map(all.map(({ key, lane }) => [key, lane])),
    close: async () => {
      await Promise.allSettled(all.map(({ reader }) => reader.close()));
    },
  };
};
