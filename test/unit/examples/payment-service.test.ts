import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPayPalCall } from '../../../examples/payment-service/call-paypal.ts';
import { followAdvice, type Steps } from '../../../examples/payment-service/follow-advice.ts';
import { type CallProvider, makeRefund, type Refund } from '../../../examples/payment-service/refund.ts';
import { MemoryRecordSink } from '../../../src/drivers/memory/record-sink.ts';
import { OperatingError } from '../../../src/errors.ts';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import type { RecordSink } from '../../../src/ports/record-sink.ts';
import { createOperationProducer } from '../../../src/producers/operation-producer.ts';
import { shipped } from '../../support/contracts.ts';
import { type RefundingPayPal, startRefundingPayPal } from '../../support/refunding-paypal.ts';
import { verdictExample } from '../records/verdict-example.ts';

const REFUND: Refund = {
  id: 'r-1',
  account: 'merchant-1',
  captureId: '3C679366HH908993R',
  amount: '10.00',
  currency: 'USD',
};

let paypal: RefundingPayPal;
beforeEach(async () => {
  paypal = await startRefundingPayPal();
});
afterEach(() => paypal.close());

const published = (sink: MemoryRecordSink): Record<string, unknown>[] =>
  sink.read('operation-started', 0).map(({ value }) => JSON.parse(String(value)) as Record<string, unknown>);

const depsOver = (sink: RecordSink, callProvider: CallProvider) => ({
  operations: createOperationProducer({ sink, source: '/test', contracts: shipped }),
  callProvider,
  pauseMs: 1,
});

const call = () =>
  createPayPalCall({ apiBase: paypal.address, accessToken: async () => 'token', timeoutMs: 200, pauseMs: 1 });

test('what is meant is kept before the provider is called, and its answer after', async () => {
  const sink = new MemoryRecordSink('', 1);
  let before = 0;
  const callProvider: CallProvider = async (...args) => {
    before = published(sink).length;
    return await call()(...args);
  };
  await makeRefund(REFUND, depsOver(sink, callProvider));
  expect(before).toBe(1);
  expect(published(sink)).toMatchObject([
    { kind: 'operation.started', operation_id: 'r-1', idempotency_key: 'r-1', input: { amount: '10.00' } },
    { kind: 'operation.acted', operation_id: 'r-1', action: { result: { id: 'RF1', status: 'COMPLETED' } } },
  ]);
  expect(paypal.keys).toEqual(['r-1']);
});

test('a broker that is away is waited for, and the provider is not called meanwhile', async () => {
  const memory = new MemoryRecordSink('', 1);
  let faults = 3;
  const callsAtFault: number[] = [];
  const sink: RecordSink = {
    write: async (records) => {
      if (faults > 0) {
        faults -= 1;
        callsAtFault.push(paypal.keys.length);
        throw new OperatingError('BROKER_UNAVAILABLE', 'away');
      }
      await memory.write(records);
    },
    close: async () => undefined,
  };
  await makeRefund(REFUND, depsOver(sink, call()));
  expect(callsAtFault).toEqual([0, 0, 0]);
  expect(published(memory).length).toBe(2);
});

test('a refund that is not in the provider’s form is refused, and the provider is not called', async () => {
  const sink = new MemoryRecordSink('', 1);
  const wrong = makeRefund({ ...REFUND, amount: '10.0' }, depsOver(sink, call()));
  await expect(wrong).rejects.toMatchObject({ code: 'INPUT_INVALID', context: { field: 'input.amount' } });
  expect([published(sink).length, paypal.keys.length]).toEqual([0, 0]);
});

test('run again after a crash it is the same refund', async () => {
  const sink = new MemoryRecordSink('', 1);
  await makeRefund(REFUND, depsOver(sink, call()));
  await makeRefund(REFUND, depsOver(sink, call()));
  expect(paypal.refunds.size).toBe(1);
  const acted = published(sink).filter(({ kind }) => kind === 'operation.acted');
  expect(acted).toMatchObject([{ action: { result: { id: 'RF1' } } }, { action: { result: { id: 'RF1' } } }]);
});

test('a lost or late answer is asked for again under the same key', async () => {
  paypal.play('lost', 'late', 'made');
  expect(await call()(REFUND, 'r-1')).toMatchObject({ result: { id: 'RF1' } });
  expect(paypal.keys).toEqual(['r-1', 'r-1', 'r-1']);
  expect(paypal.refunds.size).toBe(1);
});

test('what stays lost is published as lost, and never as refused', async () => {
  paypal.play('late', 'late', 'late');
  expect(await call()(REFUND, 'r-1')).toMatchObject({ error: { kind: 'timeout' } });
  paypal.play('lost', 'lost', 'lost');
  expect(await call()(REFUND, 'r-1')).toMatchObject({ error: { kind: 'network' } });
  paypal.play(503, 503, 503);
  expect(await call()(REFUND, 'r-1')).toMatchObject({ error: { kind: 'unknown', http_status: 503 } });
});

test('a refusal is one at once, but not where an answer before it was lost', async () => {
  paypal.play(422);
  expect(await call()(REFUND, 'r-1')).toMatchObject({ error: { kind: 'declined', http_status: 422 } });
  expect(paypal.keys.length).toBe(1);
  paypal.play('lost', 422);
  expect(await call()(REFUND, 'r-2')).toMatchObject({ error: { kind: 'unknown', http_status: 422 } });
});

test.each([
  ['none', 'close'],
  ['do_not_retry', 'close'],
  ['wait', null],
  ['retry_same_key', 'callAgain'],
  ['ask_person', 'askPerson'],
] as const)('on the advice %s it does: %s', async (advice, step) => {
  const done: string[] = [];
  const steps: Steps = {
    callAgain: async () => done.push('callAgain'),
    askPerson: async () => done.push('askPerson'),
    close: async () => done.push('close'),
  };
  const verdict: VerdictRecord = { ...verdictExample(), advice };
  await followAdvice(verdict, steps);
  expect(done).toEqual(step === null ? [] : [step]);
});
