import kafkajs, { type Producer } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeadLetterSink } from '../../src/drivers/kafka/dead-letter.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { REKEYED_HEADER } from '../../src/ports/consumed-record.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { readAll } from './kafka-fixture.ts';
import { type OperatorRun, operate } from './operator.ts';
import { type Deployment, deploy } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

let deployment: Deployment;
let producer: Producer;
const log = refundLog(7, 4, Date.parse('2026-09-01T12:00:00Z'));
const started = log.filter(({ value }) => value.includes('"operation.started"'));
const KEY = started[0]?.key ?? '';

beforeAll(async () => {
  deployment = await deploy();
  producer = deployment.kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
});
afterAll(async () => {
  await producer.disconnect();
  await deployment.close();
});

const setAside = (value: string | Buffer, code: ErrorCode, offset: number, headers = {}): Promise<void> =>
  createDeadLetterSink(producer, deployment.topic('dead-letter')).write([
    {
      record: {
        topic: deployment.topic('operation-started'),
        partition: 3,
        offset: String(offset),
        timestamp: 0,
        key: Buffer.from(KEY),
        value: Buffer.from(value),
        headers: { traceparent: '00-a-b-01', ...headers },
      },
      code,
      reason: `because of ${code}`,
    },
  ]);

const run = (...args: string[]): Promise<OperatorRun> => operate(deployment.env, ['dead-letter', ...args]);

const arrived = () =>
  readAll(deployment.reader, deployment.topic('operation-started'), partitionOfKey(KEY, 4)).then((records) =>
    records.map(({ value, key, headers }) => ({
      value: Buffer.from(value ?? '').toString(),
      key: Buffer.from(key ?? '').toString(),
      headers,
    })),
  );

interface Listed {
  readonly id: string;
  readonly code: string;
  readonly fate?: string;
  readonly sent?: boolean;
}

test('lists by code and time, shows bytes and reason, and sends a letter again once with its bytes', async () => {
  const value = started[0]?.value ?? '';
  await setAside(value, 'SIGNATURE_UNVERIFIABLE', 1, { [REKEYED_HEADER]: '0:1' });
  await setAside(Buffer.from([0, 1, 2, 255]), 'RECORD_MALFORMED', 2);

  const all = (await run('list', '--json')).json<Listed>();
  expect(all.map(({ code }) => code).sort()).toEqual(['RECORD_MALFORMED', 'SIGNATURE_UNVERIFIABLE']);
  const [letter] = (await run('list', '--code', 'SIGNATURE_UNVERIFIABLE', '--json')).json<Listed>();
  const [poison] = (await run('list', '--code', 'RECORD_MALFORMED', '--json')).json<Listed>();
  expect((await run('list', '--since', '2100-01-01T00:00:00Z', '--json')).json()).toEqual([]);
  expect((await run('list', '--topic', 'webhook-received', '--json')).json()).toEqual([]);

  const shown = await run('show', poison?.id ?? '', '--json');
  expect(shown.json()[0]).toMatchObject({
    reason: 'because of RECORD_MALFORMED',
    partition: 3,
    offset: '2',
    headers: { traceparent: '00-a-b-01' },
    value: { form: 'bytes', base64: 'AAEC/w==' },
  });
  expect((await run('show', letter?.id ?? '')).stdout).toContain('"operation.started"');

  const dry = await run('redrive', '--all', '--json');
  expect(dry.code).toBe(3);
  const fates = new Map(dry.json<Listed>().map(({ id, fate }) => [id, fate]));
  expect(fates).toEqual(
    new Map([
      [letter?.id, 'send'],
      [poison?.id, 'refused'],
    ]),
  );
  expect(await arrived()).toEqual([]);

  const [first, second] = await Promise.all([
    run('redrive', letter?.id ?? '', '--yes', '--json'),
    run('redrive', letter?.id ?? '', '--yes', '--json'),
  ]);
  // One of them may have been ended by the other's transaction; then it says so and has sent nothing.
  const sent = [first, second].flatMap((each) => each.json<Listed>()).filter((each) => each.sent === true);
  expect(sent.length).toBe(1);
  expect((await run('redrive', letter?.id ?? '', '--yes', '--json')).json()).toEqual([]);
  expect(await arrived()).toEqual([
    { value, key: KEY, headers: { traceparent: '00-a-b-01', 'countersign-redriven-from': letter?.id } },
  ]);
  expect((await run('list', '--json')).json<Listed>().map(({ id }) => id)).toEqual([poison?.id]);
  expect((await run('list', '--redriven', '--json')).json<Listed>()).toHaveLength(2);
});

test('says what to name where nothing is meant, and that a letter is not there', async () => {
  const nothing = await run('redrive', '--yes');
  expect(nothing).toMatchObject({ code: 2 });
  expect(nothing.stderr).toContain('name the letters to send again');
  expect((await run('show', '0:999999')).code).toBe(2);
});
