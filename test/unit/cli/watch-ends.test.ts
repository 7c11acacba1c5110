import { expect, onTestFinished, test } from 'vitest';
import { watchEnds } from '../../../src/cli/roles/watch-ends.ts';
import { ShardSet } from '../../../src/consumers/shard-set.ts';
import { OperatingError } from '../../../src/errors.ts';
import { Progress } from '../../../src/observability/progress.ts';
import { Waits } from '../../../src/observability/waits.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { shardFixture, TOPICS } from '../../support/shard-fixture.ts';

const watched = (ends: () => Promise<Map<string, bigint[]>>, fixture = shardFixture()) => {
  const shards = new ShardSet(fixture.deps);
  const waits = new Waits(systemClock, 0);
  const watch = watchEnds({
    reader: { ends, bounds: async () => [], read: () => Promise.reject(new Error('unread')), close: async () => {} },
    topics: TOPICS,
    shards,
    store: fixture.store,
    progress: new Progress(systemClock, 60_000),
    waits,
    metrics: fixture.deps.metrics,
    logger: fixture.deps.logger,
    intervalMs: 1,
    onFatal: fixture.deps.onFatal,
  });
  onTestFinished(() => watch.stop());
  return { shards, waitsFor: () => waits.overdue().map(({ what }) => what) };
};

const EMPTY = new Map(TOPICS.map((topic) => [topic, [0n]]));

test('a broker that does not say where the topics end is waited for, until it does', async () => {
  let isDown = true;
  const { waitsFor } = watched(async () => {
    if (isDown) throw new OperatingError('BROKER_UNAVAILABLE', 'down');
    return EMPTY;
  });
  await expect.poll(waitsFor).toEqual(['the broker has not said where the input topics end']);
  isDown = false;
  await expect.poll(waitsFor).toEqual([]);
});

test('a take-over that does not end is told, though its shard has no position that could be behind', async () => {
  const fixture = shardFixture();
  const claim = fixture.store.claim.bind(fixture.store);
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  fixture.store.claim = async (shard, owner) => {
    await gate;
    return claim(shard, owner);
  };
  const { shards, waitsFor } = watched(async () => EMPTY, fixture);
  shards.assign([0]);
  await expect.poll(waitsFor).toEqual(['the take-over of shard 0 has been going on']);
  go();
  await expect.poll(waitsFor).toEqual([]);
});
