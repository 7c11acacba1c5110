import { describe, expect, test } from 'vitest';
import type { CompiledContract } from '../../../src/evaluator/index.ts';
import { type Shows, type Told, tellByTheClock } from '../../support/contract-clock.ts';
import { shipped } from '../../support/contracts.ts';

const HOUR = 3_600;

/** What each contract says of its clock, as its sources print it: seconds, but for the attempts. */
const TABLE: Readonly<
  Record<string, readonly [delay: number, interval: number, max: number, attempts: number, timeout: number]>
> = {
  'paypal.refund.completed@1.0.0': [2, 5, 300, 900, 259_200],
  'paypal.refund.completed@1.1.0': [2, 5, 300, 900, 259_200],
  'paypal.refund.completed@1.2.0': [2, 5, 300, 900, 259_200],
  'square.refund.completed@1.0.0': [1, 5, 60, 40, 604_800],
  'square.refund.completed@1.1.0': [1, 5, 60, 40, 604_800],
  'square.refund.completed@1.2.0': [1, 5, 60, 40, 604_800],
  'shopify.refund.created@1.0.0': [1, 5, 60, 40, 604_800],
  'shopify.refund.created@1.1.0': [1, 5, 60, 40, 604_800],
  'shopify.refund.created@1.2.0': [1, 5, 60, 40, 604_800],
  'shopify.refund.financially_completed@1.0.0': [1, 5, 300, 2_200, 604_800],
  'shopify.refund.financially_completed@1.1.0': [1, 5, 300, 2_200, 604_800],
  'stripe.refund.succeeded@1.0.0': [1, 5, 300, 900, 604_800],
  'stripe.refund.succeeded@1.1.0': [1, 5, 300, 900, 604_800],
};

const nameOf = ({ ref }: CompiledContract): string => `${ref.id}@${ref.version}`;

const tableOf = (contract: CompiledContract) => {
  const [delay, interval, max, attempts, timeout] = TABLE[nameOf(contract)] ?? [];
  if (
    delay === undefined ||
    interval === undefined ||
    max === undefined ||
    attempts === undefined ||
    timeout === undefined
  )
    throw new Error(`${nameOf(contract)} has no line in the table`);
  return { delay, interval, max, attempts, timeout };
};

/** The instants at which the contract reads, counted from `from`, up to `until` (exclusive). */
const polls = (contract: CompiledContract, from: number, until: number): number[] => {
  const { delay, interval, max, attempts } = tableOf(contract);
  const times: number[] = [];
  let at = from + delay;
  for (let wait = interval; at < until && times.length < attempts; wait = Math.min(wait * 2, max)) {
    times.push(at);
    at += wait;
  }
  return times;
};

/** The literal contract holds the settled total against the amount, and has no rule for one that is not settled yet. */
const isShortTotal = (contract: CompiledContract, what: string): boolean =>
  nameOf(contract) === 'shopify.refund.created@1.0.0' && what === 'pending';

const hasList = ({ channels }: CompiledContract): boolean =>
  [...channels.values()].some(({ reads, needs }) => reads === 'payment' && needs === null);

const print = (contract: CompiledContract, what: string, { refundReads, listReads }: Told): void => {
  const few = (times: readonly number[]): string =>
    times.length <= 60 ? times.join(' ') : `${times.slice(0, 20).join(' ')} … ${times.slice(-3).join(' ')}`;
  process.stdout.write(
    `${nameOf(contract)}, ${what}: ${refundReads.length} reads of the refund, at ${few(refundReads)}; ${listReads.length} of the list, at ${few(listReads) || 'none'}\n`,
  );
};

test('the table has every contract that is shipped', () => {
  expect(Object.keys(TABLE).sort()).toEqual(shipped.all.map(nameOf).sort());
});

describe.each(shipped.all.map((contract) => [nameOf(contract), contract] as const))('%s', (_name, contract) => {
  // The last read is at the deadline.
  const { timeout, attempts } = tableOf(contract);

  test('absent for 10 s, pending for an hour, then completed: VERIFIED, with exactly the reads of its clock', async () => {
    const shows: Shows = (seconds) => (seconds < 10 ? null : seconds < HOUR ? 'pending' : 'done');
    const eventAt = HOUR + 5;
    const told = await tellByTheClock({ contract, shows, eventAt, isReported: true, untilSeconds: timeout + HOUR });
    print(contract, 'absent 10 s, pending an hour', told);
    const regular = polls(contract, 0, eventAt);
    const hasSeenIt = regular.some((at) => at >= HOUR);
    // Either a regular read finds it done, or the event asks for one of its own; after that nothing is left to ask.
    expect(told.refundReads).toEqual(hasSeenIt ? regular : [...regular, eventAt]);
    expect(told.listReads.length).toBe(hasList(contract) ? 1 : 0);
    expect(told.listReads.every((at) => at === told.refundReads.at(-1))).toBe(true);
    expect(told.verdicts.at(-1)).toMatchObject({ verdict: 'VERIFIED', basis: 'evidence' });
  });

  // A week of reads every five minutes is played once: one that is pending is read by the same clock.
  const isLong = timeout > 300_000 && attempts > 100;
  const stories: readonly (readonly [string, Shows])[] = [
    ['absent', () => null],
    ['pending', () => 'pending'],
  ];

  test.each(isLong ? stories.slice(0, 1) : stories)(
    '%s for ever: every read of its clock, one last at the deadline, and then none',
    async (what, shows) => {
      const story = { contract, shows, eventAt: null, isReported: true, untilSeconds: timeout + 2 * HOUR };
      const told = await tellByTheClock(story);
      print(contract, `${what} for ever`, told);
      expect(told.refundReads).toEqual([...polls(contract, 0, timeout), timeout]);
      expect(told.listReads).toEqual([]);
      const { verdict, decided_at: decidedAt } = told.verdicts.at(-1) ?? {};
      expect(verdict).toBe(isShortTotal(contract, what) ? 'CONTRADICTED' : 'UNVERIFIABLE');
      if (verdict === 'UNVERIFIABLE')
        expect(Date.parse(decidedAt ?? '')).toBe(Date.parse('2026-09-01T12:00:00Z') + timeout * 1000);
    },
  );

  test('an answer that is lost: the list is searched from the first minute on, by the same clock', async () => {
    const story = { contract, shows: () => null, eventAt: null, isReported: false, untilSeconds: timeout + 2 * HOUR };
    const told = await tellByTheClock(story);
    print(contract, 'its answer lost', told);
    expect(told.refundReads).toEqual([]);
    expect(told.listReads).toEqual(hasList(contract) ? [...polls(contract, 60, timeout), timeout] : []);
    expect(told.verdicts.at(-1)).toMatchObject({ verdict: 'UNVERIFIABLE' });
  });
});
