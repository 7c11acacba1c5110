import { OperatingError } from '../../errors.ts';
import type { OutgoingRecord, RecordSink } from '../../ports/record-sink.ts';

export interface BatchedSinkOptions {
  readonly sink: RecordSink;
  /** milliseconds after which a write that is not acknowledged fails: what it wrote may be kept all the same */
  readonly timeoutMs: number;
  /** writes that may wait at once */
  readonly waitingMax: number;
  /** milliseconds from one small batch to the next, none unless given: a busy gateway sends fewer and larger ones */
  readonly spacingMs?: number;
  /** calls back when what came at once has been heard: in the event loop's next turn, unless given */
  readonly gather?: (drain: () => void) => void;
}

/** A sink that many requests write to at once. */
export interface BatchedSink extends RecordSink {
  /** why the last batch was not kept; null after one that was */
  trouble(): string | null;
}

interface Waiting {
  readonly records: readonly OutgoingRecord[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  isSettled: boolean;
}

const BATCH_WRITES_MAX = 1_000;
/** So many are worth a round trip of their own at any time. */
const BATCH_WRITES_ENOUGH = 32;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const unavailable = (reason: string): OperatingError => new OperatingError('BROKER_UNAVAILABLE', reason);

const isTooLarge = (error: unknown): boolean => error instanceof OperatingError && error.code === 'RECORD_TOO_LARGE';

/**
 * Gathers what comes at once, and what comes while a batch is on its way, into the next batch: one round trip to the log serves
 * however many requests wait. Each write still returns only when its own records are kept.
 */
export const createBatchedSink = (options: BatchedSinkOptions): BatchedSink => {
  const { sink, timeoutMs, waitingMax, spacingMs = 0, gather = setImmediate } = options;
  const waiting: Waiting[] = [];
  let open = 0;
  let isDraining = false;
  let trouble: string | null = null;
  const closing: (() => void)[] = [];

  const settle = (one: Waiting, error?: unknown): void => {
    if (one.isSettled) return;
    one.isSettled = true;
    open -= 1;
    if (open === 0) for (const resolve of closing.splice(0)) resolve();
    if (error === undefined) one.resolve();
    else one.reject(error);
  };

  const writeOne = async (one: Waiting): Promise<void> => {
    try {
      await sink.write(one.records);
      settle(one);
    } catch (error) {
      settle(one, error);
    }
  };

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await sink.write(batch.flatMap(({ records }) => records));
      trouble = null;
      for (const one of batch) settle(one);
    } catch (error) {
      if (isTooLarge(error) && batch.length > 1) {
        // One of them is the culprit; the others must not pay for it.
        for (const one of batch) await writeOne(one);
        return;
      }
      if (!isTooLarge(error)) trouble = (error as Error).message;
      for (const one of batch) settle(one, error);
    }
  };

  /** Never rejects: each write hears of its own fault. */
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      // What has timed out meanwhile was answered: whoever sent it sends it again.
      const batch = waiting.splice(0, BATCH_WRITES_MAX).filter(({ isSettled }) => !isSettled);
      if (batch.length === 0) continue;
      const spaced = spacingMs === 0 ? null : pause(spacingMs);
      await writeBatch(batch);
      // Who comes to an idle gateway never waits for this: only what came meanwhile does.
      if (waiting.length > 0 && waiting.length < BATCH_WRITES_ENOUGH) await spaced;
    }
    isDraining = false;
  };

  /** Requests that came together go out, and are answered, together. */
  const drainSoon = (): void => {
    if (isDraining) return;
    isDraining = true;
    gather(() => void drain());
  };

  return {
    trouble: () => trouble,
    write: (records) => {
      if (open >= waitingMax) return Promise.reject(unavailable(`${open} requests wait for the log already`));
      return new Promise<void>((resolve, reject) => {
        open += 1;
        const timer = setTimeout(() => {
          trouble ??= `a record was not acknowledged within ${timeoutMs} ms`;
          settle(one, unavailable(`the record was not acknowledged within ${timeoutMs} ms`));
        }, timeoutMs);
        const one: Waiting = {
          records,
          isSettled: false,
          resolve: () => {
            clearTimeout(timer);
            resolve();
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        };
        waiting.push(one);
        drainSoon();
      });
    },
    close: async () => {
      // Every write ends by its deadline; a batch that the log never answers need not.
      if (open > 0) await new Promise<void>((resolve) => closing.push(resolve));
      await sink.close();
    },
  };
};
