import type { Admin, Kafka } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAtLeastOncePublisher } from '../../src/drivers/kafka/at-least-once-publisher.ts';
import { makeTopics } from '../../src/drivers/kafka/make-topics.ts';
import { createPartitionReader, type PartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { PUBLISH_RETRY, type Publication } from '../../src/drivers/kafka/publication.ts';
import { jsonVerdicts, SEQUENCE_HEADER } from '../../src/drivers/kafka/verdict-messages.ts';
import { createTransactionalPublisher } from '../../src/drivers/kafka/verdict-publisher.ts';
import { jsonVerdict } from '../../src/drivers/kafka/verdict-tail.ts';
import { type FaultPoint, noFaults } from '../../src/ports/fault-points.ts';
import type { VerdictPublisher } from '../../src/ports/verdict-publisher.ts';
import { deleteTopicsUnder, readAll, testKafka, testSettings } from './kafka-fixture.ts';
import { TestPendingStore } from './pending-store.ts';

const settings = testSettings();
let kafka: Kafka;
let admin: Admin;
let reader: PartitionReader;
let topics = 0;

beforeAll(async () => {
  kafka = testKafka(settings, PUBLISH_RETRY);
  admin = kafka.admin();
  await admin.connect();
  reader = createPartitionReader(kafka);
});

afterAll(async () => {
  await deleteTopicsUnder(admin, settings.topic_prefix);
  await reader.close();
  await admin.disconnect();
});

/** A verdicts topic and an input topic of its own for each test. */
const publicationOver = async (store: TestPendingStore): Promise<Publication> => {
  topics += 1;
  const [topic, positionTopic] = [
    `${settings.topic_prefix}verdicts-${topics}`,
    `${settings.topic_prefix}input-${topics}`,
  ];
  await makeTopics(
    admin,
    [topic, positionTopic].map((name) => ({ topic: name, numPartitions: 1 })),
  );
  return {
    kafka,
    admin,
    reader,
    store,
    shard: 0,
    topic,
    positionTopic,
    positionGroup: `${settings.group}-published-${topics}`,
    transactionalId: `${settings.group}-${topics}-0`,
    encode: jsonVerdicts,
    decode: jsonVerdict,
    faults: noFaults,
  };
};

const publishedSequences = async ({ topic }: Publication): Promise<number[]> =>
  (await readAll(reader, topic, 0)).map((record) => Number(record.headers[SEQUENCE_HEADER]));

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

/** Works as an owner does until it is fenced: commits some verdicts, publishes them, takes over anew after an error. */
const work = async (
  store: TestPendingStore,
  publisher: VerdictPublisher,
  onCommit: (count: number) => void,
): Promise<void> => {
  let claim = store.claim();
  let isReady = false;
  for (;;) {
    try {
      if (!isReady) {
        const taken = await publisher.takeOver(claim);
        if (taken.outcome === 'fenced') return;
        claim = { ...claim, nextVerdict: taken.nextVerdict };
        isReady = true;
      }
      const committed = store.commit(claim, ['a', 'b', 'c']);
      if (committed === null) return;
      claim = committed.claim;
      onCommit(committed.verdicts.length);
      if ((await publisher.publish(claim, committed.verdicts, false)) === 'fenced') return;
    } catch {
      isReady = false;
      if (!(await store.owns(0, claim.token))) return;
    }
  }
};

test('30 take-overs from a former owner that is still at work double no verdict and lose none', async () => {
  const store = new TestPendingStore();
  const publication = await publicationOver(store);
  let committed = 0;
  const owners: Promise<void>[] = [];
  const publishers: VerdictPublisher[] = [];
  for (let takeOver = 0; takeOver < 30; takeOver += 1) {
    const publisher = createTransactionalPublisher(publication);
    publishers.push(publisher);
    // The next owner comes at another point of the former's transaction each time.
    const enough = 1 + (takeOver % 4);
    let mine = 0;
    await new Promise<void>((resolve) => {
      owners.push(
        work(store, publisher, (count) => {
          committed += count;
          mine += 1;
          if (mine === enough) setImmediate(resolve);
        }),
      );
    });
  }
  const last = createTransactionalPublisher(publication);
  await last.takeOver(store.claim());
  await Promise.all(owners);
  expect(await publishedSequences(publication)).toEqual(upTo(committed));
  expect(await store.pendingVerdicts(0, 10)).toEqual([]);
  await Promise.all([...publishers, last].map((publisher) => publisher.close()));
});

const POINTS: FaultPoint[] = [
  'publish-begun',
  'publish-sent',
  'before-offset',
  'after-offset',
  'after-publish',
  'after-trim',
];

test.each(POINTS)(
  'a publisher that dies at %s leaves each verdict published exactly once by its successor',
  async (point) => {
    const store = new TestPendingStore();
    const publication = await publicationOver(store);
    let isArmed = false;
    let died: () => void = () => undefined;
    const death = new Promise<void>((resolve) => {
      died = resolve;
    });
    const dying = createTransactionalPublisher({
      ...publication,
      faults: {
        hit: (at) => {
          if (!isArmed || at !== point) return;
          died();
          // Never comes back, as a killed process does not.
          return new Promise<void>(() => undefined);
        },
      },
    });
    let claim = store.claim();
    await dying.takeOver(claim);
    const first = store.commit(claim, ['a', 'b']);
    if (first === null) throw new Error('fenced');
    claim = first.claim;
    await dying.publish(claim, first.verdicts, false);
    isArmed = true;
    const second = store.commit(claim, ['c', 'd', 'e']);
    if (second === null) throw new Error('fenced');
    void dying.publish(second.claim, second.verdicts, false);
    await death;
    const heir = createTransactionalPublisher(publication);
    const heirs = store.claim();
    const taken = await heir.takeOver(heirs);
    expect(taken).toEqual({ outcome: 'ready', nextVerdict: 6, replay: null });
    const third = store.commit({ ...heirs, nextVerdict: 6 }, ['f']);
    await heir.publish(heirs, third?.verdicts ?? [], false);
    expect(await publishedSequences(publication)).toEqual(upTo(6));
    await heir.close();
  },
);

test('a store that went back in time is told from the position, and the tail says what was published', async () => {
  const store = new TestPendingStore();
  const publication = await publicationOver(store);
  const first = createTransactionalPublisher(publication);
  let claim = store.claim();
  await first.takeOver(claim);
  const commit = async (publisher: VerdictPublisher, values: string[], isReplaying = false): Promise<void> => {
    const committed = store.commit(claim, values);
    if (committed === null) throw new Error('fenced');
    claim = committed.claim;
    await publisher.publish(claim, committed.verdicts, isReplaying);
  };
  await commit(first, ['a', 'b']);
  const restore = store.snapshot();
  await commit(first, ['c', 'd']);
  await commit(first, ['e']);
  restore();

  const second = createTransactionalPublisher(publication);
  claim = store.claim();
  const taken = await second.takeOver(claim);
  if (taken.outcome === 'fenced') throw new Error('fenced');
  expect(taken.nextVerdict).toBe(6);
  expect(taken.replay?.until).toEqual({ input: '5' });
  const payment = taken.replay?.published.get('square:m:p');
  expect(payment?.ref).toEqual({ provider: 'square', account: 'm', paymentId: 'p' });
  expect([...(payment?.operations.keys() ?? [])]).toEqual(['op-c', 'op-d', 'op-e']);

  // Broken off before it published anything, the replay begins again, from as far back.
  const restart = createTransactionalPublisher(publication);
  const raised = store.commit({ ...claim, nextVerdict: taken.nextVerdict }, []);
  if (raised === null) throw new Error('fenced');
  claim = store.claim();
  expect(await restart.takeOver(claim)).toEqual(taken);
  await restart.close();
  expect(await second.takeOver(claim)).toEqual(taken);
  const revision = { revision: 1, verdict: 'PENDING', class: null, reason: 'awaiting_evidence', detail: 'none yet' };
  expect(payment?.operations.get('op-c')).toEqual([
    {
      ...revision,
      moneyMoved: null,
      duplicates: 0,
      told: 'wait::',
      decidedAt: Date.parse('2026-09-01T12:00:00Z'),
      receipt: null,
    },
  ]);

  // A crash in the middle of the replay: the store has commits past the position again, and is still behind the log.
  claim = { ...claim, nextVerdict: taken.nextVerdict };
  await commit(second, ['c2'], true);
  const third = createTransactionalPublisher(publication);
  claim = store.claim();
  const again = await third.takeOver(claim);
  if (again.outcome === 'fenced') throw new Error('fenced');
  expect(again.nextVerdict).toBe(7);
  expect(again.replay?.until).toEqual({ input: '5' });
  const operations = again.replay?.published.get('square:m:p')?.operations;
  expect([...(operations?.keys() ?? [])]).toEqual(['op-c', 'op-d', 'op-e', 'op-c2']);

  // Once the replay is through, the next owner starts clean: saying so needs no verdict.
  claim = { ...claim, nextVerdict: again.nextVerdict };
  await commit(third, [], false);
  await commit(third, ['x', 'y']);
  const fourth = createTransactionalPublisher(publication);
  expect(await fourth.takeOver(store.claim())).toEqual({ outcome: 'ready', nextVerdict: 9, replay: null });
  expect(await publishedSequences(publication)).toEqual(upTo(8));
  await Promise.all([first, second, third, fourth].map((publisher) => publisher.close()));
});

test('where Kafka holds no position any more, what the store knows is the position', async () => {
  const store = new TestPendingStore();
  const publication = await publicationOver(store);
  const first = createTransactionalPublisher(publication);
  let claim = store.claim();
  await first.takeOver(claim);
  const committed = store.commit(claim, ['a', 'b', 'c']);
  if (committed === null) throw new Error('fenced');
  await first.publish(committed.claim, committed.verdicts, false);
  await first.close();
  await admin.deleteGroups([publication.positionGroup]);

  claim = store.claim();
  store.commit(claim, ['d']);
  const second = createTransactionalPublisher(publication);
  expect(await second.takeOver(claim)).toEqual({ outcome: 'ready', nextVerdict: 5, replay: null });
  expect(await publishedSequences(publication)).toEqual(upTo(4));
  await second.close();
});

test('verdicts of more than the broker takes in one batch go out in chunks of one transaction', async () => {
  const store = new TestPendingStore();
  const publication = await publicationOver(store);
  const publisher = createTransactionalPublisher(publication);
  const claim = store.claim();
  await publisher.takeOver(claim);
  const committed = store.commit(
    claim,
    Array.from({ length: 30 }, (_, n) => `${n}-${'x'.repeat(50_000)}`),
  );
  if (committed === null) throw new Error('fenced');
  expect(await publisher.publish(committed.claim, committed.verdicts, false)).toBe('published');
  expect(await publishedSequences(publication)).toEqual(upTo(30));
  await publisher.close();
});

test('without transactions every verdict is published, those that come again are the same, and a rewind is noticed', async () => {
  const store = new TestPendingStore();
  const publication = await publicationOver(store);
  let isArmed = false;
  const dying = createAtLeastOncePublisher({
    ...publication,
    faults: { hit: (at) => (isArmed && at === 'after-publish' ? new Promise<void>(() => undefined) : undefined) },
  });
  let claim = store.claim();
  await dying.takeOver(claim);
  const restore = store.snapshot();
  isArmed = true;
  const committed = store.commit(claim, ['a', 'b']);
  if (committed === null) throw new Error('fenced');
  void dying.publish(committed.claim, committed.verdicts, false);
  await expect.poll(() => publishedSequences(publication)).toEqual([1, 2]);

  const heir = createAtLeastOncePublisher(publication);
  claim = store.claim();
  expect(await heir.takeOver(claim)).toEqual({ outcome: 'ready', nextVerdict: 3, replay: null });
  const records = await readAll(reader, publication.topic, 0);
  expect(records.map((record) => record.headers['ce_id'])).toEqual(
    ['a', 'b', 'a', 'b'].map((value) => `square:m:p/op-${value}:1`),
  );

  restore();
  claim = store.claim();
  const taken = await heir.takeOver(claim);
  expect(taken.outcome === 'ready' && taken.nextVerdict).toBe(3);
  const operations = taken.outcome === 'ready' ? taken.replay?.published.get('square:m:p')?.operations : undefined;
  expect([...(operations?.keys() ?? [])]).toEqual(['op-a', 'op-b']);
  expect(taken.outcome === 'ready' && taken.replay?.until).toEqual({ input: '2' });
  await heir.close();
});
