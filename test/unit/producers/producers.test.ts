import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadContracts } from '../../../src/contracts/load.ts';
import { MemoryRecordSink } from '../../../src/drivers/memory/record-sink.ts';
import { OperatingError } from '../../../src/errors.ts';
import * as library from '../../../src/index.ts';
import type { ConsumedRecord } from '../../../src/ports/consumed-record.ts';
import { createOperationProducer, type StartedFields } from '../../../src/producers/operation-producer.ts';
import { createReadbackProducer } from '../../../src/producers/readback-producer.ts';
import { createReviewProducer } from '../../../src/producers/review-producer.ts';
import { createWebhookProducer } from '../../../src/producers/webhook-producer.ts';
import { createSealCheck, decodeInput, NO_REGISTRY, partitionOfKey, SEAL_HEADER } from '../../../src/records/index.ts';
import { actedExample, readbackExample, reviewExample, startedExample, webhookExample } from '../records/examples.ts';

const KEY = 'paypal:merchant-1:3C679366HH908993R';
const PARTITIONS = 4;
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const contracts = loadContracts();

const without = <T extends { kind: string }>({ kind: _, ...fields }: T): Omit<T, 'kind'> => fields;
const started = (): StartedFields => without(startedExample()) as StartedFields;

const failureOf = async (promise: Promise<unknown>): Promise<OperatingError> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OperatingError)) throw new Error(`no operating error: ${error}`);
  return error;
};

describe('a typed producer', () => {
  let sink: MemoryRecordSink;
  beforeEach(() => {
    sink = new MemoryRecordSink('t.', PARTITIONS);
  });
  const options = () => ({ sink, source: '/payments/refunds' });
  const written = (topic: string, key: string | null = KEY): ConsumedRecord => {
    const [record, more] = sink.read(`t.${topic}`, key === null ? 0 : partitionOfKey(key, PARTITIONS));
    if (record === undefined || more !== undefined) throw new Error(`${topic} holds not exactly one record`);
    return record;
  };

  it('publishes a start under its payment key, on the partition of that key', async () => {
    const published = await createOperationProducer({ ...options(), contracts }).started(started(), {
      traceparent: TRACE,
    });
    const record = written('operation-started');
    expect(published.key).toBe(KEY);
    expect(Buffer.from(record.key ?? []).toString()).toBe(KEY);
    expect(decodeInput(record.value, 'operation-started', NO_REGISTRY)).toEqual({ ok: true, record: startedExample() });
    expect(record.timestamp).toBe(Date.parse('2026-09-01T12:00:00.350Z'));
    expect(record.headers).toEqual({
      ce_specversion: '1.0',
      ce_id: published.id,
      ce_type: 'operation.started',
      ce_source: '/payments/refunds',
      ce_time: '2026-09-01T12:00:00.350Z',
      'content-type': 'application/json',
      traceparent: TRACE,
    });
  });

  it('gives the same record the same id, and another another', async () => {
    const producer = createOperationProducer({ ...options(), contracts });
    const first = await producer.started(started());
    const again = await producer.started(started());
    const other = await producer.started({ ...started(), operation_id: 'op-2' });
    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
  });

  it('publishes what the provider answered on the same partition', async () => {
    const { key } = await createOperationProducer({ ...options(), contracts }).acted(without(actedExample()) as never);
    expect(key).toBe(KEY);
    expect(decodeInput(written('operation-started').value, 'operation-started', NO_REGISTRY)).toMatchObject({
      record: actedExample(),
    });
  });

  it('finds the payment of every provider in its own input', async () => {
    const producer = createOperationProducer({ ...options(), contracts });
    const base = { operation_id: 'op', account: 'a', created_at: '2026-09-01T12:00:00Z' };
    const keys = await Promise.all([
      producer.started({
        ...base,
        provider: 'square',
        contract: { id: 'square.refund.completed' },
        input: { payment_id: 'PAY', amount: 1000, currency: 'USD' },
      }),
      producer.started({
        ...base,
        provider: 'shopify',
        contract: { id: 'shopify.refund.created' },
        input: { order_id: 'gid://shopify/Order/450789469', amount: '10.00', currency_code: 'USD' },
      }),
      producer.started({
        ...base,
        provider: 'stripe',
        contract: { id: 'stripe.refund.succeeded' },
        input: { charge_id: 'ch_1', amount: 1000, currency: 'usd' },
      }),
    ]);
    expect(keys.map(({ key }) => key)).toEqual([
      'square:a:PAY',
      'shopify:a:gid://shopify/Order/450789469',
      'stripe:a:ch_1',
    ]);
  });

  const refused: readonly [string, object, string, string, RegExp][] = [
    [
      'a field that is missing',
      { created_at: undefined },
      'RECORD_MALFORMED',
      'created_at',
      /created_at was missing, should be an RFC 3339 instant/,
    ],
    ['a field of the wrong form', { account: 'a:b' }, 'RECORD_MALFORMED', 'account', /account was "a:b"/],
    [
      'a contract nobody knows',
      { contract: { id: 'paypal.refund.completd' } },
      'CONTRACT_UNKNOWN',
      'contract',
      /contract was paypal.refund.completd, should be one of paypal's: .*paypal.refund.completed@1.1.0/,
    ],
    [
      'a version nobody knows',
      { contract: { id: 'paypal.refund.completed', version: '9.0.0' } },
      'CONTRACT_UNKNOWN',
      'contract',
      /contract was paypal.refund.completed@9.0.0/,
    ],
    [
      'a contract of another provider',
      { provider: 'square' },
      'CONTRACT_UNKNOWN',
      'contract',
      /should be one of square's/,
    ],
    [
      'an amount in another form',
      { contract: { id: 'paypal.refund.completed' }, input: { ...startedExample().input, amount: '10.0' } },
      'INPUT_INVALID',
      'input.amount',
      /input.amount was "10.0", should be a decimal string .*exactly 2 decimals/,
    ],
    [
      'a payment that is missing',
      { contract: { id: 'paypal.refund.completed' }, input: { amount: '10.00', currency_code: 'USD' } },
      'INPUT_INVALID',
      'input.capture_id',
      /input.capture_id/,
    ],
  ];
  it.each(refused)('refuses %s at its source and names the field', async (_, over, code, field, message) => {
    const producer = createOperationProducer({ ...options(), contracts });
    const error = await failureOf(producer.started({ ...started(), ...over } as StartedFields));
    expect([error.code, error.context['field'], error.retryable]).toEqual([code, field, false]);
    expect(error.message).toMatch(message);
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      expect(sink.read('t.operation-started', partition)).toEqual([]);
  });

  it('publishes a raw event byte for byte, keyed where the gateway knows the payment', async () => {
    const producer = createWebhookProducer(options());
    const { body, ...fields } = without(webhookExample());
    await producer.received({ ...fields, provider: 'square', rawBody: Buffer.from(body) }, { paymentId: 'PAY' });
    expect(
      decodeInput(written('webhook-received', 'square:merchant-1:PAY').value, 'webhook-received', NO_REGISTRY),
    ).toEqual({
      ok: true,
      record: webhookExample(),
    });
    const { key } = await producer.received({ ...fields, provider: 'square', rawBody: new Uint8Array([0xff, 0x00]) });
    expect(key).toBeNull();
    expect(
      decodeInput(sink.read('t.webhook-received', 0).at(-1)?.value ?? null, 'webhook-received', NO_REGISTRY),
    ).toMatchObject({
      record: { body_base64: '/wA=' },
    });
  });

  it('seals what the edges publish', async () => {
    const seal = { id: 'edge-1', secret: 'a secret of the edges' };
    const check = createSealCheck('required', [seal]);
    await createReadbackProducer({ ...options(), seal }).answered(without(readbackExample()) as never);
    await createReviewProducer({ ...options(), seal }).decided(without(reviewExample()) as never);
    for (const topic of ['readback-result', 'review-decided'] as const) {
      const { value, headers, timestamp } = written(topic);
      expect(check(topic, value ?? new Uint8Array(), headers[SEAL_HEADER], timestamp)).toBeNull();
    }
  });

  it('reads what it is given as it will stand on the wire', async () => {
    const action = {
      error: undefined,
      result: { id: 820982911946154508n, note: undefined },
      completed_at: '2026-09-01T12:00:01Z',
    };
    const producer = createOperationProducer({ ...options(), contracts });
    await producer.acted({ ...without(actedExample()), action } as never);
    expect(Buffer.from(written('operation-started').value ?? []).toString()).toContain(
      '"result":{"id":820982911946154508}',
    );
    const huge = { result: { text: 'x'.repeat(5_000_000) }, completed_at: '2026-09-01T12:00:01Z' };
    const error = await failureOf(producer.acted({ ...without(actedExample()), action: huge } as never));
    expect(error.code).toBe('RECORD_TOO_LARGE');
  });

  it('leaves out a trace context that is none', async () => {
    await createReviewProducer(options()).decided(without(reviewExample()) as never, { traceparent: 'x\ny' });
    expect(written('review-decided').headers).not.toHaveProperty('traceparent');
  });

  it('is used as docs/publish-from-node.md says', async () => {
    const page = readFileSync(new URL('../../../docs/publish-from-node.md', import.meta.url), 'utf8');
    for (const [, names = ''] of page.matchAll(/import \{ ([^}]+) \} from 'countersign'/g)) {
      for (const name of names.split(', ')) expect(library).toHaveProperty(name);
    }
    for (const [, name = ''] of page.matchAll(/`(create\w+|parse\w+|decode\w+)`/g))
      expect(library).toHaveProperty(name);
  });

  it('takes another encoder', async () => {
    const encoder = { contentType: 'application/avro', encode: () => Buffer.from([0, 1]) } as const;
    await createReviewProducer({ ...options(), encoder }).decided(without(reviewExample()) as never);
    expect(written('review-decided')).toMatchObject({
      value: Buffer.from([0, 1]),
      headers: { 'content-type': 'application/avro' },
    });
  });
});
