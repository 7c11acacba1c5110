import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { connectKafka } from '../../src/drivers/kafka/connect.ts';
import { createPartitionReader } from '../../src/drivers/kafka/partition-reader.ts';
import { silent, testSettings } from './kafka-fixture.ts';

const openSockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

it('leaves no socket open behind it, also where many read at once', async () => {
  const kafka = connectKafka(testSettings(), silent);
  const admin = kafka.admin();
  await admin.connect();
  const topic = `t${randomBytes(5).toString('hex')}.reader`;
  await admin.createTopics({ topics: [{ topic, numPartitions: 4 }], waitForLeaders: true });
  try {
    const before = openSockets();
    const reader = createPartitionReader(kafka);
    const partitions = [0, 1, 2, 3];
    const slices = await Promise.all(partitions.map((partition) => reader.read(topic, partition, 0n)));
    expect(slices.map(({ end }) => end)).toEqual([0n, 0n, 0n, 0n]);
    expect(openSockets()).toBeGreaterThan(before);
    await reader.close();
    await vi.waitFor(() => expect(openSockets()).toBe(before));
  } finally {
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
  }
});
