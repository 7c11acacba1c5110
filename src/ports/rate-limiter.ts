/** How often an account may be called. */
export interface Rate {
  /** calls a second, on average; greater than 0 */
  readonly perSecond: number;
  /** calls that may come at once after a pause; at least 1 */
  readonly burst: number;
}

/** A token bucket for each key, shared by every worker of it. `test/conformance/rate-limiter.ts` runs over both drivers. */
export interface RateLimiter {
  /**
   * Takes one call: 0 where it may be made now, else the milliseconds until the next could be, and nothing is taken.
   *
   * @throws OperatingError STATE_UNAVAILABLE (retryable)
   */
  take(key: string, rate: Rate): Promise<number>;
  /** The provider asked to be left alone: nobody takes from `key` for `ms` milliseconds. A shorter hold never ends a longer one. */
  hold(key: string, rate: Rate, ms: number): Promise<void>;
}
