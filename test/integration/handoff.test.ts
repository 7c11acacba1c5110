import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createHandoffLookup } from '../../src/console/handoff-lookup.ts';
import { createKafkaRecordSink } from '../../src/drivers/kafka/record-sink.ts';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { createRedisHandoffIndex } from '../../src/drivers/redis/handoff-index.ts';
import { RedisShardStore } from '../../src/drivers/redis/shard-store.ts';
import type { HandoffDecided, JsonObject } from '../../src/evaluator/index.ts';
import { createHandoffProofs } from '../../src/handoff/index.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { systemTimers } from '../../src/ports/timers.ts';
import type { ApiClient } from '../../src/producers/gateway/api-key.ts';
import { HandoffIntake } from '../../src/producers/gateway/handoff-intake.ts';
import { parseState } from '../../src/records/parse-state.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { prefixedTopic } from '../../src/records/topics.ts';
import { chargeReceipt, codesOf, ISSUERS, request, signersConfig } from '../support/handoff.ts';
import { readAll } from './kafka-fixture.ts';
import { operate } from './operator.ts';
import { type Deployment, deploy, diesOf } from './process-fixture.ts';
import { redisSettings, snapshotPrefix } from './redis-store.ts';

const PARTITIONS = 4;
const CLIENT: ApiClient = { id: 'test', scopes: new Set(['handoffs:write', 'handoffs:read']), accounts: null };
const { issuers } = signersConfig() as { issuers: object[] };
const ENV = { COUNTERSIGN_HANDOFF_ISSUERS: JSON.stringify(issuers) };

const redis = createRedis(redisSettings());
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const open = async (): Promise<Deployment> => {
  const deployment = await deploy(ENV);
  opened.push(() => deployment.close());
  return deployment;
};

const now = (): string => new Date().toISOString();
const hence = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** 5,000 AUD were charged on `payment`, and its receipt has come in. */
const charge = async (of: Deployment, payment: string, ref: string): Promise<void> => {
  const sink = createKafkaRecordSink(of.kafka, of.prefix);
  const receipt = chargeReceipt({ payment_id: payment, receipt_ref: ref, issued_at: now() }, { received_at: now() });
  await sink.write([
    {
      topic: 'charge-receipts',
      key: `stripe:shop-1:${payment}`,
      value: Buffer.from(JSON.stringify(receipt)),
      headers: {},
      timestamp: Date.now(),
    },
  ]);
  await sink.close();
  const { charges } = createRedisHandoffIndex(redis, `${of.prefix}state`);
  await expect.poll(() => charges.paymentsOf(ref), { timeout: 60_000 }).toEqual([`stripe:shop-1:${payment}`]);
};

/** A gateway's intake, in this process. */
const planner = (of: Deployment): HandoffIntake => {
  const prefix = `${of.prefix}state`;
  const store = new RedisShardStore(redis, prefix);
  const sink = createKafkaRecordSink(of.kafka, of.prefix);
  opened.push(() => sink.close());
  const stateOf = async (key: string) => {
    const [value = null] = await store.load(partitionOfKey(key, PARTITIONS), [key]);
    return value === null ? null : parseState(key, value);
  };
  return new HandoffIntake({
    producer: { sink, source: '/test' },
    proofs: createHandoffProofs(ISSUERS),
    lookup: createHandoffLookup(createRedisHandoffIndex(redis, prefix), stateOf),
    clock: systemClock,
    timers: systemTimers,
    waitMs: 60_000,
  });
};

const bodyOf = (over: object, authority: object): JsonObject => {
  const {
    kind: _k,
    provider: _p,
    account: _a,
    payment_id: _i,
    requested_at: _r,
    ...rest
  } = request(over, {
    expires_at: hence(3_600_000),
    ...authority,
  }) as Record<string, unknown>;
  return rest as JsonObject;
};

const ask = async (intake: HandoffIntake, over: object, authority: object): Promise<HandoffDecided> => {
  const answer = await intake.request(CLIENT, bodyOf(over, authority));
  if (answer.outcome !== 'decided') throw new Error(`no answer: ${JSON.stringify(answer)}`);
  return answer.decided;
};

/** Every answer that the topic holds. */
const published = async (of: Deployment): Promise<HandoffDecided[]> => {
  const found: HandoffDecided[] = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const { value } of await readAll(of.reader, prefixedTopic(of.prefix, 'handoffs'), partition))
      found.push(JSON.parse(Buffer.from(value ?? '').toString()) as HandoffDecided);
  }
  return found;
};

const planned = (answers: readonly HandoffDecided[]): HandoffDecided[] =>
  answers.filter(({ decision }) => decision === 'planned');

const sumOf = (answers: readonly HandoffDecided[]): number =>
  planned(answers).reduce((sum, { plan }) => sum + Number(plan?.refund.amount), 0);

describe('plans through Kafka and Redis', () => {
  test('of fifty planners at once exactly those have a plan that the charge has room for', async () => {
    const deployment = await open();
    deployment.start();
    await charge(deployment, 'ch_1', 'rcpt-1');
    const intake = planner(deployment);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask(intake, { amount: '200' }, { id: `auth-${index}` })),
    );
    expect(planned(answers)).toHaveLength(25);
    expect(sumOf(answers)).toBe(5000);
    expect(new Set(planned(answers).map(({ plan_digest: digest }) => digest)).size).toBe(25);
    for (const refused of answers.filter(({ plan }) => plan === null))
      expect(codesOf(refused)).toEqual(['amount_above_remaining']);
    await expect.poll(async () => (await published(deployment)).length, { timeout: 30_000 }).toBe(50);
    const compared = await operate(deployment.env, ['rebuild', '--trust-gateway', '--json']);
    expect(compared.json()).toEqual([{ payments: 51, different: 0 }]);
  }, 180_000);

  test('of two payments that race for one authority one has it', async () => {
    const deployment = await open();
    deployment.start();
    const payments = ['ch_1', 'ch_2', 'ch_3', 'ch_4'];
    await Promise.all(payments.map((payment, index) => charge(deployment, payment, `rcpt-${index}`)));
    const [one, other] = [planner(deployment), planner(deployment)];
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        payments.map((_, index) =>
          ask(index % 2 === 0 ? one : other, { charge_ref: `rcpt-${index}`, amount: '10' }, { id: `race-${round}` }),
        ),
      );
      expect(planned(answers)).toHaveLength(1);
      expect(answers.filter(({ plan }) => plan === null).map(codesOf)).toEqual(
        Array.from({ length: 3 }, () => ['authority_bound_elsewhere']),
      );
    }
    const folder = await mkdtemp(join(tmpdir(), 'countersign-plan-'));
    opened.push(() => rm(folder, { recursive: true }));
    const file = join(folder, 'request.json');
    await writeFile(file, JSON.stringify(bodyOf({ charge_ref: 'rcpt-2', amount: '10' }, { id: 'by-hand' })));
    const planning = await operate(deployment.env, ['handoff', 'plan', '--kafka', '--request', file, '--json']);
    expect(planning.code).toBe(0);
    const [plan] = planning.json<HandoffDecided>();
    const shown = await operate(deployment.env, ['handoff', 'show', String(plan?.handoff_id), '--kafka', '--json']);
    expect(shown.json()).toEqual([plan]);
  }, 180_000);

  test('kills in the middle grant nothing twice and lose no answer', async () => {
    const deployment = await open();
    const first = deployment.start();
    await charge(deployment, 'ch_1', 'rcpt-1');
    first.kill('SIGKILL');
    await first.ended;
    const intake = planner(deployment);
    const asking = Promise.all(
      Array.from({ length: 40 }, (_, index) => ask(intake, { amount: '200' }, { id: `auth-${index}` })),
    );
    for (const fault of ['before-commit:1', 'after-commit:1', 'publish-sent:1', 'after-publish:1'])
      await diesOf(deployment.start({ COUNTERSIGN_FAULT: fault, COUNTERSIGN_BATCH_RECORDS: '5' }), fault);
    deployment.start();
    const answers = await asking;
    expect(sumOf(answers)).toBe(5000);
    await expect
      .poll(async () => new Set((await published(deployment)).map((one) => one.handoff_id)).size, { timeout: 60_000 })
      .toBe(40);
    const all = await published(deployment);
    expect(all).toHaveLength(40);
    expect(sumOf(all)).toBe(5000);
  }, 240_000);

  test('a store that went back in time takes no plan back, and grants none twice', async () => {
    const deployment = await open();
    const owner = deployment.start();
    await charge(deployment, 'ch_1', 'rcpt-1');
    const restore = await snapshotPrefix(redis, `${deployment.prefix}state`);
    const intake = planner(deployment);
    const before = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ask(intake, { amount: '200' }, { id: `auth-${index}` })),
    );
    await expect.poll(async () => (await published(deployment)).length, { timeout: 30_000 }).toBe(30);
    owner.kill('SIGKILL');
    await owner.ended;
    await restore();
    deployment.start();
    const later = await ask(intake, { amount: '1' }, { id: 'later' });
    expect(codesOf(later)).toEqual(['amount_above_remaining']);
    for (const one of planned(before).slice(0, 3)) {
      const answer = await intake.request(CLIENT, bodyOf({ amount: '1' }, { id: one.plan?.authority.id }));
      expect(answer.outcome === 'decided' && codesOf(answer.decided)).toContain('authority_used');
    }
    const all = await published(deployment);
    expect(sumOf(all)).toBe(5000);
    expect(new Set(all.map((one) => one.handoff_id)).size).toBe(all.length);
  }, 240_000);
});
