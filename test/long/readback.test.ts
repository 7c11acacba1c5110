import { expect, test } from 'vitest';
import type { ReadOutcome, ReadRequest } from '../../src/ports/provider-reader.ts';
import { completed, dueRead, failing, ReadbackFixture } from '../support/readback-fixture.ts';

const READS = 50_000;
const RATE = 200;
const BURST = 50;

test('50,000 reads due at once: the rate is kept, the queue drains, none is read twice at once, none is forgotten', async () => {
  const fixture = new ReadbackFixture();
  const now = fixture.time.now();
  for (let from = 0; from < READS; from += 5_000) {
    await fixture.due(...Array.from({ length: 5_000 }, (_, n) => dueRead(String(from + n), now)));
  }
  const asking = new Set<string | null>();
  const calls: number[] = [];
  const asked = new Map<string | null, number>();
  const play = async (request: ReadRequest): Promise<ReadOutcome> => {
    expect(asking.has(request.resourceId)).toBe(false);
    asking.add(request.resourceId);
    calls.push(fixture.time.now());
    asked.set(request.resourceId, (asked.get(request.resourceId) ?? 0) + 1);
    await fixture.time.wait(50 + (calls.length % 7) * 40);
    asking.delete(request.resourceId);
    return calls.length % 1_000 === 0 ? failing('rate_limited', 2_000) : completed(request);
  };
  const workers = [0, 1, 2].map(() =>
    fixture.worker([fixture.lane(play, 'm', { perSecond: RATE, burst: BURST, concurrency: 40 })], { jitterMs: 2_000 }),
  );
  for (const worker of workers) worker.start();
  const idealMs = (READS / RATE) * 1_000;
  for (let passed = 0; passed < idealMs * 4 && fixture.published.length < READS; passed += 5_000) {
    await fixture.time.pass(5_000);
  }
  const tookMs = fixture.time.now() - now;
  process.stdout.write(
    `${calls.length} calls in ${tookMs / 1_000} s of simulated time (at best ${idealMs / 1_000} s)\n`,
  );

  expect(fixture.fatal).toEqual([]);
  expect(asked.size).toBe(READS);
  expect(Math.max(...asked.values())).toBe(1);
  expect(new Set(fixture.readOperations).size).toBe(READS);
  expect(fixture.published).toHaveLength(READS);
  let first = 0;
  for (const [index, at] of calls.entries()) {
    while (at - (calls[first] ?? at) >= 1_000) first += 1;
    expect(index - first + 1).toBeLessThanOrEqual(RATE + BURST);
  }
  expect(await fixture.store.claimReads(0, fixture.time.now(), fixture.time.now() + 1, 10)).toEqual([]);
});
