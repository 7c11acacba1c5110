import type { Clock } from '../../ports/clock.ts';
import type { ProviderReader, ReadOutcome, ReadRequest } from '../../ports/provider-reader.ts';
import type { Rate, RateLimiter } from '../../ports/rate-limiter.ts';
import type { Timers } from '../../ports/timers.ts';
import { Breaker, type BreakerOptions } from './breaker.ts';
import { Slots } from './slots.ts';

/** Reads that wait in memory for their turn: this many seconds' worth of the account's rate. */
const WAITING_SECONDS = 2;
/** A read that finds no room is put off at most this long. */
export const DEFER_MAX_MS = 300_000;
/** A provider that limits us without saying for how long. */
const DEFAULT_HOLD_MS = 1_000;

export interface LaneOptions {
  /** `<provider>:<account>`: the rate's key */
  readonly key: string;
  readonly reader: ProviderReader;
  readonly rate: Rate;
  readonly concurrency: number;
  readonly limiter: RateLimiter;
  readonly breaker: BreakerOptions;
  /** for a whole read, its pages and token included */
  readonly readTimeoutMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** What became of a read's turn: the provider's answer, or that it was not asked and when to come back. */
export type Turn =
  | {
      readonly outcome: 'answered';
      readonly answer: ReadOutcome;
      readonly requestedAt: number;
      readonly observedAt: number;
    }
  | {
      readonly outcome: 'deferred';
      readonly reason: 'rate' | 'breaker' | 'lease' | 'stopping';
      readonly waitMs: number;
    };

const TIMED_OUT: ReadOutcome = {
  outcome: 'error',
  kind: 'timeout',
  message: 'no whole answer in time',
  httpStatus: null,
  retryAfterMs: null,
};

const deferred = (reason: Extract<Turn, { outcome: 'deferred' }>['reason'], waitMs: number): Turn => ({
  outcome: 'deferred',
  reason,
  waitMs,
});

/**
 * One account's way to its provider: so many calls at once, so many a second together with every other worker, none while the
 * provider only fails. Accounts do not wait for each other.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #slots: Slots;
  readonly #breaker: Breaker;
  readonly #capacity: number;
  #held = 0;
  #heldUntil = 0;
  #nextTurnAt = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
    this.#breaker = new Breaker(options.clock, options.breaker);
    this.#capacity = options.concurrency + Math.ceil(options.rate.perSecond * WAITING_SECONDS);
  }

  get isBroken(): boolean {
    return this.#breaker.isOpen;
  }

  /** reads taken in and not done */
  get held(): number {
    return this.#held;
  }

  /**
   * Takes a read in (null): then {@link turn} must follow. Or says why not and in how many milliseconds to come back: those
   * that find no room get turns one after another, as the rate will have it.
   */
  admit(): { readonly reason: 'rate' | 'breaker' | 'room'; readonly waitMs: number } | null {
    const now = this.#options.clock.now();
    const brokenMs = this.#breaker.waitMs();
    if (brokenMs > 0) return { reason: 'breaker', waitMs: brokenMs };
    if (this.#heldUntil > now) return { reason: 'rate', waitMs: this.#later(this.#heldUntil) };
    if (this.#held >= this.#capacity) return { reason: 'room', waitMs: this.#later(now + WAITING_SECONDS * 1000) };
    this.#held += 1;
    return null;
  }

  /**
   * @param notBefore when its turn comes at the earliest
   * @param latestStart after which its lease would end before the answer is published
   * @param until aborted: `waiting` no new call is made, `asking` not even that under way is finished
   */
  async turn(
    request: ReadRequest,
    notBefore: number,
    latestStart: number,
    until: { readonly waiting: AbortSignal; readonly asking: AbortSignal },
  ): Promise<Turn> {
    const { clock, timers } = this.#options;
    try {
      if (notBefore > clock.now()) await timers.wait(notBefore - clock.now(), until.waiting);
      await this.#slots.take();
      try {
        return (await this.#hindrance(latestStart, until.waiting)) ?? (await this.#ask(request, until.asking));
      } finally {
        this.#slots.give();
      }
    } finally {
      this.#held -= 1;
    }
  }

  /** Waits for what is short; null where the call may be made now. */
  async #hindrance(latestStart: number, signal: AbortSignal): Promise<Turn | null> {
    const { key, rate, limiter, clock, timers } = this.#options;
    for (;;) {
      if (signal.aborted) return deferred('stopping', 0);
      const now = clock.now();
      if (now > latestStart) return deferred('lease', 0);
      const brokenMs = this.#breaker.waitMs();
      if (brokenMs > 0) return deferred('breaker', brokenMs);
      const waitMs = await limiter.take(key, rate);
      if (waitMs === 0) break;
      if (now + waitMs > latestStart || waitMs > WAITING_SECONDS * 1000)
        return deferred('rate', this.#later(now + waitMs));
      await timers.wait(waitMs, signal);
    }
    // Asking the limiter took time: another read may have opened the breaker, or begun its trial.
    const brokenMs = this.#breaker.waitMs();
    if (brokenMs > 0) return deferred('breaker', brokenMs);
    this.#breaker.enter();
    return null;
  }

  async #ask(request: ReadRequest, signal: AbortSignal): Promise<Turn> {
    const { clock, timers, reader, readTimeoutMs } = this.#options;
    const requestedAt = clock.now();
    const limit = new AbortController();
    const done = new AbortController();
    const late = timers.wait(readTimeoutMs, done.signal).then((): ReadOutcome => {
      limit.abort();
      return TIMED_OUT;
    });
    // By hand: a signal made of others stays known to one that lives as long as the process.
    const giveUp = (): void => limit.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    const context = { signal: limit.signal, pace: () => this.#pace(limit.signal) };
    let answer: ReadOutcome;
    try {
      answer = await Promise.race([reader.read(request, context), late]);
    } catch (error) {
      this.#breaker.undecided();
      throw error;
    } finally {
      done.abort();
      signal.removeEventListener('abort', giveUp);
    }
    if (signal.aborted && answer.outcome === 'error') {
      this.#breaker.undecided();
      return deferred('stopping', 0);
    }
    await this.#learn(answer);
    return { outcome: 'answered', answer, requestedAt, observedAt: clock.now() };
  }

  /** Before a read's further calls. */
  async #pace(signal: AbortSignal): Promise<void> {
    const { key, rate, limiter, timers } = this.#options;
    while (!signal.aborted) {
      const waitMs = await limiter.take(key, rate);
      if (waitMs === 0) return;
      await timers.wait(waitMs, signal);
    }
  }

  async #learn(answer: ReadOutcome): Promise<void> {
    if (answer.outcome !== 'error') return this.#breaker.succeeded();
    // Limits and answers that cannot be read come from a provider that is up.
    if (answer.kind === 'rate_limited' || answer.kind === 'malformed') this.#breaker.undecided();
    else this.#breaker.failed();
    if (answer.kind !== 'rate_limited' && answer.retryAfterMs === null) return;
    const { key, rate, limiter, clock } = this.#options;
    const holdMs = Math.min(answer.retryAfterMs ?? DEFAULT_HOLD_MS, DEFER_MAX_MS);
    this.#heldUntil = Math.max(this.#heldUntil, clock.now() + holdMs);
    await limiter.hold(key, rate, holdMs);
  }

  /** The next free turn from `from` on, as milliseconds from now. */
  #later(from: number): number {
    const now = this.#options.clock.now();
    const at = Math.max(from, this.#nextTurnAt);
    this.#nextTurnAt = at + 1000 / this.#options.rate.perSecond;
    if (at - now <= DEFER_MAX_MS) return Math.max(1, Math.ceil(at - now));
    // The line is longer than is planned for: begin anew behind what comes first.
    this.#nextTurnAt = from;
    return DEFER_MAX_MS;
  }
}
