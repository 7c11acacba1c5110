import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { topicSpecs } from '../../src/drivers/kafka/topic-specs.ts';
import { createTopics } from '../../src/drivers/kafka/topics.ts';
import { unpackState } from '../../src/drivers/packed-state.ts';
import { keysOf } from '../../src/drivers/redis/keys.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { decodeState, encodeState } from '../../src/records/state-codec.ts';
import { CLI } from '../support/run-cli.ts';
import { operate } from './operator.ts';
import { type Deployment, deploy, lastJudgements, type RunningProcess, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

const COUNT = 300;
const FROM = Date.now() - 3_600_000;
const log = refundLog(11, COUNT, FROM);

let deployment: Deployment;
let running: RunningProcess;
const redis = new Redis(process.env['COUNTERSIGN_REDIS_URL'] ?? '');

beforeAll(async () => {
  deployment = await deploy();
  await deployment.produce(log);
  running = deployment.start();
  await running.address;
  const expected = await replayed(log, Date.now());
  await vi.waitFor(async () => expect(lastJudgements(await deployment.verdicts())).toEqual(expected), {
    timeout: 90_000,
    interval: 1_000,
  });
});
afterAll(async () => {
  redis.disconnect();
  await deployment.close();
});

const rebuild = (env: Record<string, string>, ...args: string[]) =>
  operate({ ...deployment.env, ...env }, ['rebuild', '--trust-gateway', '--json', ...args]);

const stateKey = (prefix: string, paymentKey: string, partitions: number): string =>
  keysOf(prefix).shard(partitionOfKey(paymentKey, partitions)).statePrefix + paymentKey;

const heldAt = async (key: string): Promise<Buffer> => (await redis.getBuffer(key)) ?? Buffer.from('null');

const prefix = (): string => deployment.env['COUNTERSIGN_REDIS_PREFIX'] ?? '';

test('a second state from the topics equals the live one, and leaves nothing behind', async () => {
  const run = await rebuild({});
  expect(run.stderr).not.toContain('fault');
  expect(run.json().at(-1)).toEqual({ payments: COUNT, different: 0 });
  expect(run.code).toBe(0);
  expect(await redis.keys(`{${prefix()}.rebuild*`)).toEqual([]);
});

test('a rebuild that was killed goes on where it was, and counts nothing twice', async () => {
  const child = spawn(process.execPath, [...CLI, 'rebuild', '--trust-gateway', '--keep'], {
    env: { ...process.env, ...deployment.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  // It has told of its first shard, and has others left.
  await once(createInterface(child.stderr), 'line');
  child.kill('SIGKILL');
  await ended;
  const run = await rebuild({});
  expect(run.stderr).toContain('going on with the rebuild that was begun');
  expect(run.json().at(-1)).toEqual({ payments: COUNT, different: 0 });
});

test('names each payment whose live state is not what the topics come to', async () => {
  const [first, second] = [log[0]?.key ?? '', log.find(({ key }) => key !== log[0]?.key)?.key ?? ''];
  const [a, b] = [stateKey(prefix(), first, 4), stateKey(prefix(), second, 4)];
  const [heldA, heldB] = [await heldAt(a), await heldAt(b)];
  await redis.set(a, encodeState({ ...decodeState(unpackState(first, heldA)), isLimited: true }), 'KEEPTTL');
  await redis.del(b);
  const run = await rebuild({});
  expect(run.code).toBe(1);
  const found = run
    .json<{ paymentKey?: string; differences?: unknown[] }>()
    .filter((each) => each.paymentKey !== undefined);
  expect(new Map(found.map(({ paymentKey, differences }) => [paymentKey, differences]))).toEqual(
    new Map([
      [first, [{ path: 'isLimited', live: 'true', rebuilt: 'false' }]],
      [second, [{ path: '', live: null, rebuilt: 'there is a state' }]],
    ]),
  );
  await redis.set(a, heldA, 'PX', 86_400_000);
  await redis.set(b, heldB, 'PX', 86_400_000);
});

test('builds the state under a new prefix with more shards, and a process goes on there without saying anything twice', async () => {
  running.kill('SIGTERM');
  await running.ended;
  const before = await deployment.verdicts();
  const into = `${prefix()}.six`;
  const newTopics = `${deployment.prefix}six.`;
  const run = await rebuild({}, '--into', into, '--partitions', '6', '--for-topics', newTopics);
  expect(run.stderr).not.toContain('fault');
  expect(run.json().at(-1)).toEqual({ prefix: into, partitions: 6 });
  expect(await redis.get(keysOf(into).partitions)).toBe('6');
  expect(await redis.get(keysOf(into).rebuild)).toBeNull();

  const remembered = new Map<string, number>();
  for (const { verdict } of before) remembered.set(`${verdict.payment_key}/${verdict.operation_id}`, verdict.revision);
  for (const key of new Set(log.map((entry) => entry.key))) {
    const state = decodeState(unpackState(key, await heldAt(stateKey(into, key, 6))));
    for (const [id, { published }] of Object.entries(state.operations))
      expect(published.at(-1)?.revision, key).toBe(remembered.get(`${key}/${id}`));
  }
  expect((await rebuild({}, '--into', into, '--partitions', '6', '--for-topics', newTopics)).stderr).toContain(
    'holds a state already',
  );

  await createTopics(
    deployment.admin,
    topicSpecs({ prefix: newTopics, partitions: 6, replication: 1, retentionMs: 1e10 }),
  );
  const next = deployment.start({
    COUNTERSIGN_REDIS_PREFIX: into,
    COUNTERSIGN_TOPIC_PREFIX: newTopics,
    COUNTERSIGN_GROUP: `${newTopics}group`,
  });
  await vi.waitFor(() => expect(next.lines.filter((line) => line.includes('took the shard')).length).toBe(6), {
    timeout: 60_000,
  });
  // Each adopted payment is judged once; then none is due at once any more.
  await vi.waitFor(
    async () => {
      for (let shard = 0; shard < 6; shard += 1)
        expect(await redis.zcount(keysOf(into).shard(shard).evaluations, '-inf', Date.now() - 60_000)).toBe(0);
    },
    { timeout: 60_000, interval: 500 },
  );
  const bounds = await deployment.reader.bounds(`${newTopics}verdicts`);
  expect(bounds.reduce((sum, { low, high }) => sum + Number(high - low), 0)).toBe(0);
});
