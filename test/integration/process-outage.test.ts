import { afterEach, expect, test } from 'vitest';
import { MAGIC_BYTE } from '../../src/records/index.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { type Deployment, deploy, faultsOf, lastJudgements, type RunningProcess, replayed } from './process-fixture.ts';
import { type LogEntry, refundLog } from './refund-log.ts';
import { type OwnServer, ownBroker, ownRedis, ownRegistry } from './servers.ts';

let deployment: Deployment | null = null;
let server: OwnServer | null = null;

afterEach(async () => {
  await deployment?.close();
  deployment = null;
  await server?.dispose();
  server = null;
});

interface Answer {
  readonly status: number;
  readonly reasons: readonly string[];
}

const readiness = async (process: RunningProcess): Promise<Answer> => {
  const response = await fetch(`${await process.address}/readyz`);
  const { reasons } = (await response.json()) as { reasons: string[] };
  return { status: response.status, reasons };
};

const isReady = (process: RunningProcess) =>
  expect.poll(async () => (await readiness(process)).status, { timeout: 60_000, interval: 100 }).toBe(200);

const isNotReady = (process: RunningProcess, reason: RegExp) =>
  expect
    .poll(async () => (await readiness(process)).reasons.join('; '), { timeout: 60_000, interval: 50 })
    .toMatch(reason);

const published = async (of: Deployment, log: readonly LogEntry[]): Promise<void> => {
  const expected = await replayed(log, Date.now());
  await expect
    .poll(async () => lastJudgements(await of.verdicts()), { timeout: 60_000, interval: 200 })
    .toEqual(expected);
  expect(faultsOf(await of.verdicts())).toEqual([]);
};

test('while Redis is down the shards pause and health says so; afterwards nothing is lost or doubled', async () => {
  server = await ownRedis({ durable: true });
  deployment = await deploy({ COUNTERSIGN_REDIS_URL: server.address, COUNTERSIGN_BATCH_RECORDS: '20' });
  const [first, second] = [refundLog(11, 80, Date.now() - 7_200_000), refundLog(12, 80, Date.now() - 3_600_000)];
  const process = deployment.start();
  await deployment.produce(first);
  await published(deployment, first);
  await server.stop();
  await deployment.produce(second);
  await isNotReady(process, /shard \d pauses: STATE_UNAVAILABLE/);
  await server.start();
  await published(deployment, [...first, ...second]);
  await isReady(process);
}, 240_000);

test('a broker that restarts in the middle of the work loses and doubles nothing', async () => {
  server = await ownBroker();
  deployment = await deploy({ COUNTERSIGN_BROKERS: server.address, COUNTERSIGN_BATCH_RECORDS: '10' });
  const [first, second] = [refundLog(13, 150, Date.now() - 7_200_000), refundLog(14, 80, Date.now() - 3_600_000)];
  const process = deployment.start();
  await process.logged('took the shard');
  await deployment.produce(first);
  await server.kill();
  await server.start();
  await deployment.produce(second);
  await published(deployment, [...first, ...second]);
  await isReady(process);
}, 240_000);

test('a registry that is down at the start and comes later holds up verdicts, and loses none', async () => {
  server = await ownRegistry();
  await server.stop();
  deployment = await deploy({ COUNTERSIGN_REGISTRY_URL: server.address });
  const log = refundLog(15, 20, Date.now() - 7_200_000);
  const process = deployment.start();
  await deployment.produce(log);
  await isNotReady(process, /pauses: REGISTRY_UNAVAILABLE/);
  await server.start();
  await isReady(process);
  const { reader, topic } = deployment;
  await expect
    .poll(
      async () => {
        const { records } = await reader.read(topic('verdicts'), 0, 0n);
        return records.map(({ value }) => value?.[0]);
      },
      { timeout: 60_000, interval: 200 },
    )
    .toEqual(expect.arrayContaining([MAGIC_BYTE]));
}, 240_000);

test('a process that starts before its Redis waits for it', async () => {
  server = await ownRedis({ durable: true });
  await server.stop();
  deployment = await deploy({ COUNTERSIGN_REDIS_URL: server.address });
  const log = refundLog(16, 20, Date.now() - 7_200_000);
  const process = deployment.start();
  await deployment.produce(log);
  await process.logged('waiting to start');
  await server.start();
  await published(deployment, log);
  process.kill('SIGTERM');
  expect(await process.ended).toBe(0);
}, 240_000);

test('a process that starts before its broker waits for it', async () => {
  server = await ownBroker();
  deployment = await deploy({ COUNTERSIGN_BROKERS: server.address });
  const log = refundLog(19, 30, Date.now() - 7_200_000);
  await deployment.produce(log);
  await server.kill();
  const process = deployment.start();
  await process.logged('waiting to start');
  await server.start();
  await published(deployment, log);
  await isReady(process);
}, 240_000);

test('records that are deleted before they were applied halt their shard and no other, and health says so', async () => {
  deployment = await deploy();
  const { admin, topic, verdicts } = deployment;
  const [first, second] = [refundLog(17, 40, Date.now() - 7_200_000), refundLog(18, 40, Date.now() - 3_600_000)];
  const before = deployment.start();
  await deployment.produce(first);
  await published(deployment, first);
  before.kill('SIGTERM');
  expect(await before.ended).toBe(0);

  await deployment.produce(second);
  const lost = partitionOfKey(second[0]?.key ?? '', 4);
  const ends = await admin.fetchTopicOffsets(topic('operation-started'));
  const offset = ends.find(({ partition }) => partition === lost)?.offset ?? '0';
  await admin.deleteTopicRecords({ topic: topic('operation-started'), partitions: [{ partition: lost, offset }] });

  const process = deployment.start();
  await isNotReady(process, new RegExp(`shard ${lost} is halted: OFFSETS_OUTSIDE_LOG`));
  const kept = [...first, ...second.filter(({ key }) => partitionOfKey(key, 4) !== lost)];
  const expected = await replayed(kept, Date.now());
  await expect.poll(async () => lastJudgements(await verdicts()), { timeout: 60_000, interval: 200 }).toEqual(expected);
  process.kill('SIGTERM');
  expect(await process.ended).toBe(0);
}, 240_000);
