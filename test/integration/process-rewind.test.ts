import { afterEach, expect, test } from 'vitest';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { type Deployment, deploy, diesOf, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { redisSettings, snapshotPrefix } from './redis-store.ts';
import { type LogEntry, refundLog } from './refund-log.ts';

let deployment: Deployment | null = null;
const redis = createRedis(redisSettings());

afterEach(async () => {
  await deployment?.close();
  deployment = null;
});

const halves = (log: readonly LogEntry[]): [readonly LogEntry[], readonly LogEntry[]] => [
  log.slice(0, log.length / 2),
  log.slice(log.length / 2),
];

const published = async (of: Deployment, log: readonly LogEntry[]): Promise<void> => {
  const expected = await replayed(log, Date.now());
  await expect
    .poll(async () => lastJudgements(await of.verdicts()), { timeout: 60_000, interval: 200 })
    .toEqual(expected);
};

test('a store that goes back in time under its working owner doubles no revision and ends with the verdicts of a replay', async () => {
  deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: '20' });
  const log = refundLog(3, 160, Date.now() - 7_200_000);
  const [first, second] = halves(log);
  const owner = deployment.start();
  await deployment.produce(first);
  await published(deployment, first);
  const restore = await snapshotPrefix(redis, `${deployment.prefix}state`);
  await deployment.produce(second);
  await published(deployment, log);
  const before = (await deployment.verdicts()).length;

  await restore();
  // What comes next meets the owner's warm cache.
  const later = refundLog(4, 40, Date.now() - 3_600_000);
  await deployment.produce(later);
  await published(deployment, [...log, ...later]);
  const all = await deployment.verdicts();
  expect(faultsOf(all)).toEqual([]);
  expect(owner.lines.some((line) => line.includes('went back in time under its owner'))).toBe(true);
  // Of the records that were applied a second time, nothing was said a second time.
  const told = all.slice(0).filter(({ verdict }) => verdict.operation_id.startsWith('op-3-'));
  expect(told).toHaveLength(before);
}, 240_000);

test('a store that went back in time before a take-over doubles no revision, whenever the replay is broken off', async () => {
  deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: '10' });
  const log = refundLog(5, 160, Date.now() - 7_200_000);
  const [first, second] = halves(log);
  const owner = deployment.start();
  await deployment.produce(first);
  await published(deployment, first);
  const restore = await snapshotPrefix(redis, `${deployment.prefix}state`);
  await deployment.produce(second);
  await published(deployment, log);
  const before = (await deployment.verdicts()).length;
  owner.kill('SIGKILL');
  await owner.ended;
  await restore();

  // Five commits in all: the second half of the log gives each shard at least two.
  for (const fault of ['after-commit:2', 'before-commit:3', 'after-commit:1']) {
    await diesOf(deployment.start({ COUNTERSIGN_FAULT: fault }), fault);
  }
  const heir = deployment.start();
  const later = refundLog(6, 40, Date.now() - 3_600_000);
  await deployment.produce(later);
  await published(deployment, [...log, ...later]);
  const all = await deployment.verdicts();
  expect(faultsOf(all)).toEqual([]);
  expect(all.filter(({ verdict }) => verdict.operation_id.startsWith('op-5-'))).toHaveLength(before);
  heir.kill('SIGTERM');
  expect(await heir.ended).toBe(0);
}, 240_000);

test('an owner whose token the store has lost takes the shard anew and publishes nothing twice', async () => {
  deployment = await deploy();
  const log = refundLog(7, 100, Date.now() - 7_200_000);
  const [first, second] = halves(log);
  const former = deployment.start();
  await deployment.produce(first);
  await published(deployment, first);
  former.kill('SIGTERM');
  await former.ended;
  const restore = await snapshotPrefix(redis, `${deployment.prefix}state`);
  const owner = deployment.start();
  await owner.logged('took the shard');
  await expect.poll(() => owner.lines.filter((line) => line.includes('took the shard')).length).toBe(4);
  await restore();
  await deployment.produce(second);
  await published(deployment, log);
  expect(faultsOf(await deployment.verdicts())).toEqual([]);
}, 240_000);
