import { expect, it } from 'vitest';
import { createInputConsumer } from '../../src/drivers/kafka/input-consumer.ts';
import { createPartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { INPUT_TOPICS } from '../../src/records/topics.ts';
import { simulatedKafka } from './house/kafka/client.ts';
import { SimCluster } from './house/kafka/sim-cluster.ts';
import { Scheduler } from './house/scheduler.ts';
import { SimProcess } from './house/sim-process.ts';
import { timeOf, withSimulatedGlobals } from './house/sim-time.ts';
import { Random } from './random.ts';

const SESSION_MS = 30_000;

const memberOf = (scheduler: Scheduler, cluster: SimCluster) => {
  const process = new SimProcess('process-1');
  const kafka = simulatedKafka(cluster, process);
  return createInputConsumer({
    kafka,
    reader: createPartitionReader(kafka),
    group: 'g',
    topics: INPUT_TOPICS,
    partitions: 1,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: 60_000,
    heartbeatIntervalMs: 3_000,
    fetchMaxWaitMs: 500,
    fetchMaxBytes: 1 << 20,
    clock: timeOf(scheduler, process),
  });
};

it('joins again where the group forgot it and the join after that broke with its connection', async () => {
  const scheduler = new Scheduler(Date.parse('2026-09-01T12:00:00.000Z'));
  const random = new Random(1);
  const cluster = new SimCluster({ scheduler, random, topics: INPUT_TOPICS, partitions: 1, nodes: 1, latencyMs: 1 });
  const passes = async (ms: number): Promise<void> => {
    for (const until = scheduler.mono + ms; scheduler.mono < until && (await scheduler.step()); );
  };
  await withSimulatedGlobals(scheduler, async () => {
    let [joins, asked] = [0, 0];
    const consumer = memberOf(scheduler, cluster);
    const started = consumer.start({
      assigned: () => {
        joins += 1;
      },
      heartbeat: () => undefined,
      deliver: async () => undefined,
      skipped: () => undefined,
      crashed: (error) => {
        throw error;
      },
    });
    await passes(1_000);
    await started;
    expect(joins).toBe(1);

    cluster.network.onRequest = (_process, doing) => {
      if (doing === 'join') asked += 1;
      cluster.network.conditions.answerLost = doing === 'join' && asked === 1 ? 1 : 0;
    };
    cluster.group('g').leave('member-1');
    await passes(10_000);
    expect([asked, joins]).toEqual([1, 1]);
    await passes(3 * SESSION_MS);
    expect([asked, joins]).toEqual([2, 2]);
    expect(cluster.group('g').memberCount).toBe(1);
    const stopped = consumer.stop();
    await passes(1_000);
    await stopped;
    expect(cluster.group('g').memberCount).toBe(0);
  });
});
