import { expect, test } from 'vitest';
import { OperatingError } from '../../../src/errors.ts';
import type { ReadOutcome } from '../../../src/ports/provider-reader.ts';
import { spreadMs } from '../../../src/producers/readback/spread.ts';
import {
  completed,
  dueRead,
  failing,
  LEASE_MS,
  READ_TIMEOUT_MS,
  ReadbackFixture,
} from '../../support/readback-fixture.ts';

const never = (): Promise<ReadOutcome> => new Promise(() => undefined);
const away = () => new OperatingError('BROKER_UNAVAILABLE', 'the broker is away');

test('performs a due read once, not before it is due, and publishes what the provider answered', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now() + 5_000));
  const worker = fixture.worker([fixture.lane(completed)]);
  worker.start();
  await fixture.time.pass(4_900);
  expect(fixture.published).toEqual([]);
  await fixture.time.pass(LEASE_MS * 3);
  expect(fixture.published).toEqual([
    {
      operation_id: 'op-1',
      provider: 'paypal',
      account: 'm',
      payment_id: 'cap-1',
      channel: 'refund_readback',
      purpose: 'poll',
      resource_id: 're-1',
      attempt: 1,
      requested_at: '2026-09-01T12:00:05.000Z',
      observed_at: '2026-09-01T12:00:05.000Z',
      outcome: 'ok',
      http_status: 200,
      body: '{"id":"re-1","status":"COMPLETED"}',
    },
  ]);
  await worker.stop(0);
});

test('publishes errors with the wait that the provider asked for, and nothing of the body', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now()));
  fixture.worker([fixture.lane(() => failing('rate_limited', 30_000))]).start();
  await fixture.time.pass(1_000);
  expect(fixture.published).toMatchObject([
    {
      outcome: 'error',
      http_status: 500,
      error: { kind: 'rate_limited', message: 'HTTP 500', retry_after_ms: 30_000 },
    },
  ]);
  expect(fixture.published[0]).not.toHaveProperty('body');
});

test('a worker that dies between call and publication loses nothing: the lease ends and another reads again', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now()));
  let calls = 0;
  const dying = fixture.worker(
    [
      fixture.lane((request) => {
        calls += 1;
        return completed(request);
      }),
    ],
    { producer: { answered: () => new Promise(() => undefined) } },
  );
  dying.start();
  await fixture.time.pass(1_000);
  void dying.stop(0);
  const other = fixture.worker([fixture.lane(completed)]);
  other.start();
  await fixture.time.pass(LEASE_MS - 2_000);
  expect([calls, fixture.published.length]).toEqual([1, 0]);
  await fixture.time.pass(2_000);
  expect(fixture.readOperations).toEqual(['op-1']);
});

test('two workers never ask for one read at the same time', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(...Array.from({ length: 200 }, (_, n) => dueRead(String(n), fixture.time.now())));
  const asking = new Set<string | null>();
  const play = async (request: Parameters<typeof completed>[0]): Promise<ReadOutcome> => {
    expect(asking.has(request.resourceId)).toBe(false);
    asking.add(request.resourceId);
    await fixture.time.wait(700);
    asking.delete(request.resourceId);
    return completed(request);
  };
  const workers = [0, 1, 2].map(() => fixture.worker([fixture.lane(play)]));
  for (const worker of workers) worker.start();
  await fixture.time.pass(60_000);
  expect(new Set(fixture.readOperations).size).toBe(200);
  expect(fixture.readOperations).toHaveLength(200);
  expect(fixture.fatal).toEqual([]);
});

test('what an event asks for while a poll of it is under way waits for that answer', async () => {
  const fixture = new ReadbackFixture();
  const now = fixture.time.now();
  let calls = 0;
  await fixture.due(dueRead('1', now));
  const slow = async (request: Parameters<typeof completed>[0]): Promise<ReadOutcome> => {
    calls += 1;
    await fixture.time.wait(3_000);
    return completed(request);
  };
  fixture.worker([fixture.lane(slow)]).start();
  await fixture.time.pass(1_000);
  await fixture.due(dueRead('1', now, 'm', { purpose: 'event' }));
  await fixture.time.pass(1_900);
  expect(calls).toBe(1);
  await fixture.time.pass(5_000);
  expect(fixture.published.map(({ purpose }) => purpose)).toEqual(['poll', 'event']);
});

test('a provider that hangs slows no other account', async () => {
  const fixture = new ReadbackFixture();
  const now = fixture.time.now();
  const hung = Array.from({ length: 600 }, (_, n) => dueRead(`h${n}`, now - 1_000, 'hung'));
  await fixture.due(...hung, ...Array.from({ length: 50 }, (_, n) => dueRead(`q${n}`, now, 'quick')));
  const lanes = [fixture.lane(never, 'hung', { perSecond: 10 }), fixture.lane(completed, 'quick')];
  fixture.worker(lanes).start();
  await fixture.time.pass(1_000);
  expect(fixture.readOperations.filter((id) => id.startsWith('op-q'))).toHaveLength(50);
  await fixture.time.pass(READ_TIMEOUT_MS);
  expect(fixture.published.find(({ account }) => account === 'hung')).toMatchObject({ error: { kind: 'timeout' } });
});

test('leaves a failing provider alone, tries one read, and goes on when it answers', async () => {
  const fixture = new ReadbackFixture();
  let isUp = false;
  let calls = 0;
  await fixture.due(...Array.from({ length: 20 }, (_, n) => dueRead(String(n), fixture.time.now())));
  const lane = fixture.lane(
    (request) => {
      calls += 1;
      return isUp ? completed(request) : failing('server');
    },
    'm',
    { concurrency: 1 },
  );
  fixture.worker([lane]).start();
  await fixture.time.pass(4_000);
  expect(calls).toBe(3);
  await fixture.time.pass(2_000);
  expect(calls).toBe(4);
  isUp = true;
  await fixture.time.pass(30_000);
  expect(calls).toBe(20);
  expect(new Set(fixture.readOperations).size).toBe(20);
});

test('asks nobody’s provider while it wants to be left alone', async () => {
  const fixture = new ReadbackFixture();
  let calls = 0;
  await fixture.due(...Array.from({ length: 10 }, (_, n) => dueRead(String(n), fixture.time.now())));
  const play = (request: Parameters<typeof completed>[0]): ReadOutcome => {
    calls += 1;
    return calls === 1 ? failing('rate_limited', 20_000) : completed(request);
  };
  const workers = [0, 1].map(() =>
    fixture.worker([fixture.lane(play, 'm', { concurrency: 1, perSecond: 5, burst: 1 })]),
  );
  for (const worker of workers) worker.start();
  await fixture.time.pass(19_900);
  expect(calls).toBe(1);
  await fixture.time.pass(20_000);
  expect(calls).toBe(10);
});

test('publishes again while the broker is away, without asking the provider again', async () => {
  const fixture = new ReadbackFixture();
  let calls = 0;
  await fixture.due(dueRead('1', fixture.time.now()));
  fixture.faults = [away(), away(), away()];
  const lane = fixture.lane((request) => {
    calls += 1;
    return completed(request);
  });
  fixture.worker([lane]).start();
  await fixture.time.pass(5_000);
  expect([calls, fixture.readOperations]).toEqual([1, ['op-1']]);
});

test('an answer that no record can hold is told as malformed', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now()));
  fixture.faults = [new OperatingError('RECORD_TOO_LARGE', 'too large')];
  fixture.worker([fixture.lane(completed)]).start();
  await fixture.time.pass(1_000);
  expect(fixture.published).toMatchObject([{ outcome: 'error', error: { kind: 'malformed' } }]);
});

test('waits out a queue that cannot be reached, says so, and goes on', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now()));
  let isAway = true;
  const { store } = fixture;
  const worker = fixture.worker([fixture.lane(completed)], {
    store: {
      claimReads: async (...args) => {
        if (isAway) throw new OperatingError('STATE_UNAVAILABLE', 'Redis is away');
        return store.claimReads(...args);
      },
      releaseRead: store.releaseRead.bind(store),
      load: store.load.bind(store),
    },
  });
  worker.start();
  await fixture.time.pass(5_000);
  expect(worker.trouble).toBe('Redis is away');
  isAway = false;
  await fixture.time.pass(2_000);
  expect([worker.trouble, fixture.readOperations]).toEqual([null, ['op-1']]);
});

test('leaves reads of an account without credentials to others, and names it', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now(), 'elsewhere'));
  const worker = fixture.worker([fixture.lane(completed)]);
  worker.start();
  await fixture.time.pass(1_000);
  expect(worker.unserved).toEqual(['paypal:elsewhere']);
  await worker.stop(0);
  fixture.worker([fixture.lane(completed, 'elsewhere')]).start();
  await fixture.time.pass(61_000);
  expect(fixture.readOperations).toEqual(['op-1']);
});

test('forgets a read of a channel that its contract does not read', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now(), 'm', { channel: 'refund_events' }));
  fixture.worker([fixture.lane(completed)]).start();
  await fixture.time.pass(LEASE_MS * 2);
  expect([fixture.published, fixture.fatal]).toEqual([[], []]);
});

test('on stop, calls under way are finished and published, and what waits is due again at once', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(...Array.from({ length: 5 }, (_, n) => dueRead(String(n), fixture.time.now())));
  const slow = async (request: Parameters<typeof completed>[0]): Promise<ReadOutcome> => {
    await fixture.time.wait(2_000);
    return completed(request);
  };
  const worker = fixture.worker([fixture.lane(slow, 'm', { concurrency: 2 })]);
  worker.start();
  await fixture.time.pass(1_000);
  const stopped = worker.stop(5_000);
  await fixture.time.pass(1_500);
  await stopped;
  expect(fixture.readOperations).toHaveLength(2);
  expect(await fixture.store.claimReads(0, fixture.time.now(), fixture.time.now() + 1, 10)).toHaveLength(3);
});

test('on stop, a call that does not end in time is given up, unpublished, and its lease given back', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now()));
  const lane = fixture.lane(
    (_request, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(failing('timeout')), { once: true })),
  );
  const worker = fixture.worker([lane]);
  worker.start();
  await fixture.time.pass(1_000);
  const stopped = worker.stop(3_000);
  await fixture.time.pass(3_100);
  await stopped;
  expect(fixture.published).toEqual([]);
  expect(await fixture.store.claimReads(0, fixture.time.now(), fixture.time.now() + 1, 10)).toHaveLength(1);
});

test('on stop, an answer that the broker does not take is left to its lease', async () => {
  const fixture = new ReadbackFixture();
  await fixture.due(dueRead('1', fixture.time.now()));
  fixture.faults = Array.from({ length: 1_000 }, away);
  const worker = fixture.worker([fixture.lane(completed)]);
  worker.start();
  await fixture.time.pass(2_000);
  const stopped = worker.stop(1_000);
  await fixture.time.pass(1_100);
  await stopped;
  expect(worker.trouble).toBe('the broker is away');
  fixture.faults = [];
  const other = fixture.worker([fixture.lane(completed)]);
  other.start();
  await fixture.time.pass(LEASE_MS);
  expect(fixture.readOperations).toEqual(['op-1']);
});

test('the spread of a read is always the same, and spreads', () => {
  const at = (attempt: number) =>
    spreadMs({ operationId: 'op', channel: 'c', resourceId: null, purpose: 'poll', attempt, dueAt: 0 }, 1_000);
  expect(at(1)).toBe(at(1));
  const spread = Array.from({ length: 1_000 }, (_, n) => at(n));
  expect(Math.min(...spread)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...spread)).toBeLessThan(1_000);
  expect(new Set(spread.map((ms) => Math.floor(ms / 100))).size).toBe(10);
});

test('reads that fall due together begin one after another', async () => {
  const fixture = new ReadbackFixture();
  const began: number[] = [];
  await fixture.due(...Array.from({ length: 40 }, (_, n) => dueRead(String(n), fixture.time.now())));
  const lane = fixture.lane((request) => {
    began.push(fixture.time.now());
    return completed(request);
  });
  fixture.worker([lane], { jitterMs: 2_000 }).start();
  await fixture.time.pass(3_000);
  expect(began).toHaveLength(40);
  expect(new Set(began).size).toBeGreaterThan(30);
});
