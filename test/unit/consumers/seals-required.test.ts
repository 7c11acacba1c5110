import { expect, test } from 'vitest';
import { decodeRecords } from '../../../src/consumers/decode-records.ts';
import { MemoryRecordSink } from '../../../src/drivers/memory/record-sink.ts';
import { createOperationProducer } from '../../../src/producers/operation-producer.ts';
import { createReadbackProducer } from '../../../src/producers/readback-producer.ts';
import { createReviewProducer } from '../../../src/producers/review-producer.ts';
import { createWebhookProducer } from '../../../src/producers/webhook-producer.ts';
import { createSealCheck, type InputTopic, type SealKey } from '../../../src/records/index.ts';
import { shipped } from '../../support/contracts.ts';

const AT = '2026-09-01T12:00:00Z';
const OURS: SealKey = { id: 'edge-1', secret: 'a secret of our own edges' };
const ENDED: SealKey = { id: 'edge-0', secret: 'a secret of last year’s edges', to: '2026-01-01T00:00:00Z' };
const GUESSED: SealKey = { id: 'edge-1', secret: 'what somebody has guessed' };
const TOPICS: readonly InputTopic[] = ['operation-started', 'webhook-received', 'readback-result', 'review-decided'];

const operation = { operation_id: 'op-1', provider: 'paypal', account: 'm' } as const;

/** Publishes a record of every kind, sealed with the key, or with none. */
const published = async (seal: SealKey | undefined) => {
  const sink = new MemoryRecordSink('', 1);
  const options = { sink, source: '/test', seal };
  const input = { capture_id: '3C679366HH908993R', amount: '10.00', currency_code: 'USD' };
  const contract = { id: 'paypal.refund.completed' };
  const operations = createOperationProducer({ sink, source: '/payments', contracts: shipped });
  await operations.started({ ...operation, contract, created_at: AT, input });
  const delivery = { provider: 'paypal', account: 'm', endpoint: 'default', headers: {}, received_at: AT } as const;
  await createWebhookProducer(options).received({ ...delivery, rawBody: Buffer.from('{}') });
  const about = { ...operation, payment_id: '3C679366HH908993R' };
  const absent = { channel: 'refund_readback', observed_at: AT, outcome: 'absent' } as const;
  await createReadbackProducer(options).answered({ ...about, ...absent });
  const decision = { answers: 'v', decision: 'VERIFIED', reason: 'seen', reviewer: 'ada', decided_at: AT } as const;
  await createReviewProducer(options).decided({ ...about, ...decision });
  return TOPICS.flatMap((topic) => sink.read(topic, 0));
};

const outcomes = async (seal: SealKey | undefined) => {
  const checkSeal = createSealCheck('required', [OURS, ENDED]);
  const decoded = await decodeRecords(await published(seal), { schemas: null, maxBytes: 1 << 20, checkSeal });
  return Object.fromEntries(
    decoded.map((one) => [one.source.topic, 'record' in one ? one.record.kind : one.code] as const),
  );
};

test('what our own gateway, worker and reviewer have sealed is taken, and payment services need no seal', async () => {
  expect(await outcomes(OURS)).toEqual({
    'operation-started': 'operation.started',
    'webhook-received': 'webhook.received',
    'readback-result': 'readback.result',
    'review-decided': 'review.decided',
  });
});

test.each([
  ['without a seal', undefined, 'SEAL_MISSING'],
  ['under a guessed secret', GUESSED, 'SEAL_INVALID'],
  ['under a key that has ended', ENDED, 'SEAL_INVALID'],
  ['under a key that nobody knows', { id: 'mine', secret: OURS.secret }, 'SEAL_INVALID'],
])('evidence %s is refused, whoever wrote it', async (_what, seal, code) => {
  expect(await outcomes(seal)).toEqual({
    'operation-started': 'operation.started',
    'webhook-received': code,
    'readback-result': code,
    'review-decided': code,
  });
});
