import { crc32 } from 'node:zlib';
import kafkajs from 'kafkajs';
import { afterEach, expect, test } from 'vitest';
import { parseDeadLetter } from '../../src/drivers/kafka/dead-letter.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { readAll } from './kafka-fixture.ts';
import { type Deployment, deploy, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

let deployment: Deployment | null = null;

afterEach(async () => {
  await deployment?.close();
  deployment = null;
});

const deadLetters = async ({ reader, topic }: Deployment) => {
  const found = [];
  for (let partition = 0; partition < 4; partition += 1) {
    for (const record of await readAll(reader, topic('dead-letter'), partition)) found.push(parseDeadLetter(record));
  }
  return found.filter((each) => each !== null);
};

const start = (id: string, changes: object = {}): string =>
  JSON.stringify({
    kind: 'operation.started',
    operation_id: id,
    provider: 'paypal',
    account: 'merchant-1',
    contract: { id: 'paypal.refund.completed' },
    created_at: '2026-09-01T12:00:00.000Z',
    input: { capture_id: 'CAPX', amount: '10.00', currency_code: 'USD' },
    ...changes,
  });

test('poison of every kind is in dead-letter with its bytes and its reason, and the rest flows on', async () => {
  deployment = await deploy();
  const log = refundLog(21, 40, Date.now() - 7_200_000);
  const key = 'paypal:merchant-1:CAPX';
  const huge = Buffer.alloc(5 << 20, 'x');
  const poison: { topic: 'operation-started' | 'webhook-received'; value: Buffer; code: string }[] = [
    { topic: 'operation-started', value: Buffer.from('{"kind":'), code: 'RECORD_MALFORMED' },
    { topic: 'operation-started', value: Buffer.from([0, 0]), code: 'RECORD_MALFORMED' },
    { topic: 'operation-started', value: Buffer.from([0, 0, 0, 0, 99, 1, 2, 3]), code: 'SCHEMA_UNKNOWN' },
    { topic: 'webhook-received', value: Buffer.from(start('op-k')), code: 'RECORD_KIND_WRONG' },
    { topic: 'webhook-received', value: huge, code: 'RECORD_TOO_LARGE' },
    {
      topic: 'operation-started',
      value: Buffer.from(start('op-u', { contract: { id: 'no.such' } })),
      code: 'CONTRACT_UNKNOWN',
    },
  ];
  const conflict = [
    start('op-c'),
    start('op-c', { input: { capture_id: 'CAPX', amount: '11.00', currency_code: 'USD' } }),
  ];
  const producer = deployment.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  await deployment.produce(log.slice(0, log.length / 2));
  for (const { topic, value } of poison) {
    await producer.send({ topic: deployment.topic(topic), messages: [{ key, value }] });
  }
  for (const value of conflict) {
    await producer.send({ topic: deployment.topic('operation-started'), messages: [{ key, value }] });
  }
  await producer.disconnect();
  await deployment.produce(log.slice(log.length / 2));

  const process = deployment.start();
  const of = deployment;
  const expectedCodes = [...poison.map(({ code }) => code), 'OPERATION_CONFLICT'].sort();
  await expect
    .poll(async () => (await deadLetters(of)).map(({ code }) => code).sort(), { timeout: 60_000, interval: 200 })
    .toEqual(expectedCodes);
  const found = await deadLetters(of);
  for (const { value, code } of poison) {
    expect(
      found.some((each) => each.code === code && each.record.value !== null && value.equals(each.record.value)),
      code,
    ).toBe(true);
  }
  for (const each of found) expect(each.reason).not.toBe('');

  // A start that parses and is refused is judged all the same: no ledger waits for ever.
  const expected = await replayed(log, Date.now());
  await expect
    .poll(async () => lastJudgements(await of.verdicts()), { timeout: 60_000, interval: 200 })
    .toEqual(
      new Map([
        ...expected,
        ['op-u', 'UNVERIFIABLE null contract_unknown'],
        ['op-c', 'UNVERIFIABLE null evidence_unavailable_before_timeout'],
      ]),
    );
  process.kill('SIGTERM');
  expect(await process.ended).toBe(0);
}, 180_000);

test('gateways that key by nothing and partition as they like are put right: the double is caught, and nothing loops', async () => {
  deployment = await deploy();
  const log = refundLog(22, 120, Date.now() - 7_200_000);
  const producer = deployment.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  await deployment.produce(log.filter(({ topic }) => topic !== 'webhook-received'));
  const webhooks = log.filter(({ topic }) => topic === 'webhook-received');
  const topic = deployment.topic('webhook-received');
  // One keys by nothing, one rightly on a partition of its own choice, and one partitions as librdkafka does: CRC32 of the key.
  const partitionOf = (key: string, n: number): number => (n % 3 === 2 ? crc32(key) % 4 : n % 4);
  await producer.send({
    topic,
    messages: webhooks.map(({ key, value, at }, n) => ({
      key: n % 3 === 0 ? null : key,
      partition: partitionOf(key, n),
      value,
      timestamp: String(at),
    })),
  });
  await producer.disconnect();
  const process = deployment.start();
  const of = deployment;
  const expected = await replayed(log, Date.now());
  expect([...expected.values()].some((said) => said.startsWith('CONTRADICTED duplicate_side_effect'))).toBe(true);
  await expect
    .poll(async () => lastJudgements(await of.verdicts()), { timeout: 60_000, interval: 200 })
    .toEqual(expected);
  expect(faultsOf(await of.verdicts())).toEqual([]);
  expect(await deadLetters(of)).toEqual([]);

  // Each stray was sent on once: to the partition of its payment, and there it stayed.
  const strays = webhooks.filter(({ key }, n) => partitionOfKey(key, 4) !== partitionOf(key, n)).length;
  const ends = await of.reader.ends([topic]);
  const total = (ends.get(topic) ?? []).reduce((sum, end) => sum + Number(end), 0);
  expect(total).toBe(webhooks.length + strays);
  process.kill('SIGTERM');
  expect(await process.ended).toBe(0);
}, 180_000);
