import { paypalLoad } from './paypal.ts';
import type { ProviderLoad } from './provider-load.ts';
import { Random } from './random.ts';
import { shopifyLoad } from './shopify.ts';
import { squareLoad } from './square.ts';
import { type LoadRecord, Story } from './story.ts';
import { stripeLoad } from './stripe.ts';

const PROVIDERS: readonly ProviderLoad[] = [paypalLoad, squareLoad, shopifyLoad, stripeLoad];
const DEFAULT_START = Date.parse('2026-09-01T00:00:00Z');
/** Operations begun before those that wait are put in order and given out. */
const ROUND = 1000;

export interface LoadOptions {
  /** at least this many records are made: the last operations are told to their end */
  readonly records: number;
  readonly seed: number;
  /** milliseconds between the starts of two operations: 100 unless given */
  readonly spacingMs?: number;
  /** when the first operation starts, milliseconds since the epoch */
  readonly start?: number;
}

/**
 * Records of refunds over the four providers in the order of their time: one operation in 50 doubled, one webhook in 20
 * delivered again, three operations in ten pending at first, one in 100 failed, one in 100 without an answer, one payment in 20
 * refunded in two parts. Streams: only the operations on their way are held.
 */
export function* generateRecords({
  records,
  seed,
  spacingMs = 100,
  start: firstStart = DEFAULT_START,
}: LoadOptions): Generator<LoadRecord> {
  const random = new Random(seed);
  let waiting: LoadRecord[] = [];
  let made = 0;
  let last: { load: ProviderLoad; payment: string } | null = null;
  for (let count = 0; made < records; count += 1) {
    const start = firstStart + count * spacingMs;
    if (count % ROUND === 0) {
      waiting.sort((a, b) => a.at - b.at);
      const later = waiting.findIndex(({ at }) => at >= start);
      const due = later === -1 ? waiting.length : later;
      for (let index = 0; index < due; index += 1) yield waiting[index] as LoadRecord;
      waiting = waiting.slice(due);
    }
    const load = PROVIDERS[random.below(PROVIDERS.length)] ?? paypalLoad;
    const isSecondPart: boolean = last !== null && random.isOneIn(20);
    const story: { load: ProviderLoad; payment: string } =
      last !== null && isSecondPart ? last : { load, payment: load.paymentId(random) };
    last = isSecondPart ? null : story;
    const told = new Story(story.load, random, story.payment, `op-${count}-${random.mixedId(8)}`).tell(
      start,
      500 + random.below(20_000),
      {
        isDoubled: random.isOneIn(50),
        isRedelivered: random.isOneIn(20),
        isSlow: random.next() < 0.3,
        isFailed: random.isOneIn(100),
        isLost: random.isOneIn(100),
      },
    );
    made += told.length;
    waiting.push(...told);
  }
  waiting.sort((a, b) => a.at - b.at);
  yield* waiting;
}
