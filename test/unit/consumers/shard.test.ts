import { expect, test } from 'vitest';
import { Shard } from '../../../src/consumers/shard.ts';
import { OperatingError } from '../../../src/errors.ts';
import { AT, batchOf, recordAt, type ShardFixture, shardFixture, startOf } from '../../support/shard-fixture.ts';

const STARTED = 'operation-started';

const running = async (fixture: ShardFixture): Promise<Shard> => {
  const shard = new Shard(fixture.deps, 0);
  const resumed = fixture.log.next('resume');
  shard.start();
  await resumed;
  return shard;
};

const starts = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => recordAt(STARTED, from + index, startOf(`op-${from + index}`)));

const verdictsOf = ({ publisher }: ShardFixture): string[] =>
  publisher.published.map(({ value }) => {
    const { operation_id: operation, revision } = JSON.parse(value) as { operation_id: string; revision: number };
    return `${operation}:${revision}`;
  });

test('begins at the offsets that the store holds, and where nothing was ever applied at the first record of the log', async () => {
  const fixture = shardFixture();
  fixture.log.lows.set('webhook-received', 7n);
  const shard = await running(fixture);
  expect(fixture.log.told.at(-1)).toBe('resume 0 0 7 0 0');
  await shard.deliver(batchOf(STARTED, 0, starts(0, 3)));
  await shard.release();
  await running(fixture);
  expect(fixture.log.told.at(-1)).toBe('resume 0 3 7 0 0');
});

test('refuses a batch that does not begin where it is, and sends the client there', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 5, starts(5, 2)));
  expect(fixture.log.told.at(-1)).toBe('seek 0 operation-started 0');
  expect(fixture.publisher.published).toEqual([]);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  expect(verdictsOf(fixture)).toEqual(['op-0:1', 'op-1:1']);
});

test('goes past markers of transactions that the client leaves out', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  shard.skipped(STARTED, 0n, 4n);
  await shard.deliver(batchOf(STARTED, 4, starts(4, 1)));
  expect(verdictsOf(fixture)).toEqual(['op-4:1']);
});

test('stays past markers of one topic that it goes past while records of another are being committed', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  const commit = fixture.store.commit.bind(fixture.store);
  fixture.store.commit = (each) => {
    shard.skipped('webhook-received', 0n, 2n);
    return commit(each);
  };
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  expect(Object.fromEntries(shard.session?.positions ?? [])).toMatchObject({ [STARTED]: 1n, 'webhook-received': 2n });
});

test('does one commit at a time for batches that come side by side, and cuts large ones', async () => {
  let commits = 0;
  let atOnce = 0;
  const fixture = shardFixture({ batchRecords: 10 });
  const commit = fixture.store.commit.bind(fixture.store);
  fixture.store.commit = async (each) => {
    commits += 1;
    atOnce += 1;
    expect(atOnce).toBe(1);
    const result = await commit(each);
    atOnce -= 1;
    return result;
  };
  const shard = await running(fixture);
  await Promise.all([
    shard.deliver(batchOf(STARTED, 0, starts(0, 25))),
    shard.deliver(batchOf('webhook-received', 0, [recordAt('webhook-received', 0, '{}')])),
  ]);
  expect(commits).toBe(3);
  expect(verdictsOf(fixture)).toHaveLength(25);
  expect(shard.session?.positions.get('webhook-received')).toBe(1n);
});

test('keeps poison in dead-letter before its offset is applied, and goes on', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, [recordAt(STARTED, 0, 'not json'), ...starts(1, 1)]));
  expect(fixture.deadLetters.map(({ code, record }) => [code, record.offset])).toEqual([['RECORD_MALFORMED', '0']]);
  expect(verdictsOf(fixture)).toEqual(['op-1:1']);
});

test('waits where a dead letter cannot be written: its offset is not applied', async () => {
  let isDown = true;
  const written: string[] = [];
  const fixture = shardFixture({
    deadLetters: {
      write: async (entries) => {
        if (isDown) throw new OperatingError('BROKER_UNAVAILABLE', 'down');
        written.push(...entries.map(({ record }) => record.offset));
      },
    },
  });
  const shard = await running(fixture);
  const resumed = fixture.log.next('resume');
  await shard.deliver(batchOf(STARTED, 0, [recordAt(STARTED, 0, 'not json')]));
  await resumed;
  expect(fixture.log.told.at(-1)).toBe('resume 0 0 0 0 0');
  isDown = false;
  await shard.deliver(batchOf(STARTED, 0, [recordAt(STARTED, 0, 'not json')]));
  expect(written).toEqual(['0']);
  expect(shard.session?.positions.get(STARTED)).toBe(1n);
});

test('pauses on a transient fault of the store and takes over anew, losing and doubling nothing', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  const commit = fixture.store.commit.bind(fixture.store);
  fixture.store.commit = () => Promise.reject(new OperatingError('STATE_UNAVAILABLE', 'down'));
  const paused = fixture.log.next('pause');
  const refused = shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  await paused;
  await refused;
  fixture.store.commit = commit;
  await fixture.log.next('resume');
  expect(shard.state).toBe('running');
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  expect(verdictsOf(fixture)).toEqual(['op-0:1', 'op-1:1']);
});

test('publishes at the next take-over what was committed when the broker failed', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  fixture.publisher.fault = new OperatingError('BROKER_UNAVAILABLE', 'down');
  const resumed = fixture.log.next('resume');
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  await resumed;
  expect(verdictsOf(fixture)).toEqual(['op-0:1', 'op-1:1']);
  expect(fixture.log.told.at(-1)).toBe('resume 0 2 0 0 0');
});

test('counts what was committed once, whether or not the broker takes its verdicts at once', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  fixture.publisher.fault = new OperatingError('BROKER_UNAVAILABLE', 'down');
  const resumed = fixture.log.next('resume');
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  await resumed;
  const { records, verdicts } = fixture.deps.metrics;
  expect((await records.get()).values.map(({ value }) => value)).toEqual([2]);
  expect((await verdicts.get()).values.map(({ value }) => value)).toEqual([2]);
});

test('stops once another process has the shard, and takes it back only when the group still says that it is its own', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await fixture.store.claim(0, 'late member');
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  expect(shard.state).toBe('fenced');
  expect(fixture.publisher.published).toEqual([]);
  const resumed = fixture.log.next('resume');
  shard.heartbeat();
  await resumed;
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  expect(verdictsOf(fixture)).toEqual(['op-0:1']);
});

test('a shard that pauses while another takes it does not wrest it back', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  const commit = fixture.store.commit.bind(fixture.store);
  fixture.store.commit = async () => {
    await fixture.store.claim(0, 'rightful owner');
    throw new OperatingError('STATE_UNAVAILABLE', 'down');
  };
  const paused = fixture.log.next('pause');
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  await paused;
  expect(shard.state).toBe('paused');
  await fixture.log.next('pause');
  expect(shard.state).toBe('fenced');
  fixture.store.commit = commit;
});

test('goes back to where its store is when that went back in time under it', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  const snapshot = fixture.store.snapshot();
  await shard.deliver(batchOf(STARTED, 2, starts(2, 2)));
  fixture.store.restore(snapshot);
  const resumed = fixture.log.next('resume');
  await shard.deliver(batchOf(STARTED, 4, starts(4, 1)));
  await resumed;
  expect(fixture.log.told.at(-1)).toBe('resume 0 2 0 0 0');
});

test('notices that its store went back in time though no record comes', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  const snapshot = fixture.store.snapshot();
  await shard.deliver(batchOf(STARTED, 2, starts(2, 2)));
  const ends = new Map([...(shard.session?.positions ?? [])]);
  shard.sawEnds(ends, AT);
  fixture.store.restore(snapshot);
  const resumed = fixture.log.next('resume');
  shard.sawEnds(ends, AT + 5_000);
  shard.sawEnds(ends, AT + 10_000);
  await resumed;
  expect(fixture.log.told.at(-1)).toBe('resume 0 2 0 0 0');
});

test('halts, and says why, where the log no longer holds what is to be applied next', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  await shard.release();
  fixture.log.lows.set(STARTED, 5n);
  const again = new Shard(fixture.deps, 0);
  const paused = fixture.log.next('pause');
  again.start();
  await paused;
  expect(again.state).toBe('halted');
  expect(again.trouble).toContain('OFFSETS_OUTSIDE_LOG');
  expect(again.trouble).toContain('records 2 to 4 were deleted before they were applied');
});

test('halts, and does not ask for ever, where the log loses under it what is to be applied next', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  fixture.log.lows.set(STARTED, 5n);
  await shard.deliver(batchOf(STARTED, 5, starts(5, 1)));
  expect(fixture.log.told.at(-1)).toBe('seek 0 operation-started 2');
  await shard.deliver(batchOf(STARTED, 5, starts(5, 1)));
  await expect.poll(() => shard.state).toBe('halted');
  expect(shard.trouble).toContain('records 2 to 4 were deleted before they were applied');
});

const sawLag = (shard: Shard, seconds: number): void => {
  for (let second = 0; second <= seconds; second += 1) shard.sawEnds(new Map([[STARTED, 9n]]), AT + second * 1_000);
};

test('asks again where there is lag and nothing of it comes', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  const told = fixture.log.told.length;
  sawLag(shard, 29);
  expect(fixture.log.told).toHaveLength(told);
  const resumed = fixture.log.next('resume');
  sawLag(shard, 30);
  await resumed;
  expect(fixture.log.told.slice(told)).toEqual(['resume 0 2']);
  expect(shard.state).toBe('running');
});

test('halts where nothing comes because the log has lost all that was to be applied', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  fixture.log.lows.set(STARTED, 9n);
  sawLag(shard, 30);
  await expect.poll(() => shard.state).toBe('halted');
  expect(shard.trouble).toContain('records 2 to 8 were deleted before they were applied');
});

test('takes over anew where the client does not go where it is sent, and goes on', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  const resumed = fixture.log.next('resume');
  await shard.deliver(batchOf(STARTED, 5, starts(5, 1)));
  await shard.deliver(batchOf(STARTED, 5, starts(5, 1)));
  expect(shard.trouble).toContain('operation-started/0 is to be read from 0 and came from 5');
  await resumed;
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  expect(verdictsOf(fixture)).toEqual(['op-0:1']);
  expect(shard.trouble).toBeNull();
});

test('halts where the log holds less than was applied', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  await shard.release();
  fixture.log.high = 1n;
  const again = new Shard(fixture.deps, 0);
  const paused = fixture.log.next('pause');
  again.start();
  await paused;
  expect(again.trouble).toContain('truncated or made anew');
});

test('hands a fault of the program to the process, which must stop', async () => {
  const fixture = shardFixture();
  const broken = {
    ...fixture.deps,
    batch: {
      ...fixture.deps.batch,
      reduce: () => {
        throw new TypeError('a bug');
      },
    },
  };
  const shard = new Shard(broken, 0);
  const resumed = fixture.log.next('resume');
  shard.start();
  await resumed;
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  expect(fixture.fatal).toHaveLength(1);
  expect(shard.state).toBe('halted');
});

test('evaluates what falls due only once every partition has been seen to its end', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  const late = Date.parse('2026-09-20T00:00:00Z');
  const ends = (started: bigint) =>
    new Map([
      [STARTED, started],
      ['webhook-received', 0n],
      ['readback-result', 0n],
      ['review-decided', 0n],
    ]);
  shard.sawEnds(ends(2n), late);
  expect(shard.session?.streamTime.now).toBeLessThan(late);
  shard.sawEnds(ends(1n), late);
  await expect.poll(() => verdictsOf(fixture)).toEqual(['op-0:1', 'op-0:2']);
  expect(JSON.parse(fixture.publisher.published[1]?.value ?? '')).toMatchObject({
    verdict: 'UNVERIFIABLE',
    reason: 'evidence_unavailable_before_timeout',
  });
});

test('lets the commit at hand finish when it is released, and takes no more', async () => {
  const fixture = shardFixture();
  const shard = await running(fixture);
  const commit = fixture.store.commit.bind(fixture.store);
  let released: Promise<void> | null = null;
  fixture.store.commit = (each) => {
    released = shard.release();
    return commit(each);
  };
  await shard.deliver(batchOf(STARTED, 0, starts(0, 2)));
  await released;
  expect(verdictsOf(fixture)).toEqual(['op-0:1', 'op-1:1']);
  await shard.deliver(batchOf(STARTED, 2, starts(2, 1)));
  expect(verdictsOf(fixture)).toHaveLength(2);
});

test('sends a record on to the partition of its payment before its offset is applied', async () => {
  const fixture = shardFixture({ partitions: 64 });
  const shard = await running(fixture);
  await shard.deliver(batchOf(STARTED, 0, starts(0, 1)));
  expect(fixture.rekeys.map(({ paymentKey }) => paymentKey)).toEqual(['paypal:m:CAPop-0']);
  expect(fixture.publisher.published).toEqual([]);
});
