import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryRecordSink } from '../../src/drivers/memory/record-sink.ts';
import { createWebhookProducer, type WebhookFields } from '../../src/producers/webhook-producer.ts';

const GOOD = {
  provider: 'square',
  account: 'merchant-1',
  endpoint: '7',
  headers: { 'x-square-hmacsha256-signature': 'c2ln' },
  received_at: '2026-09-01T12:00:04.350Z',
  rawBody: Buffer.from('{"a":1}'),
} as const;

/** A field's right value, or what some caller might give instead. */
const either = <T>(right: T, ...wrong: readonly unknown[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>(right) }, fc.constantFrom<unknown>(...wrong));

const usualFields = fc.record({
  provider: either('square', 'adyen', 1, null),
  account: either('merchant-1', 'no account', '', 'a\nb', null),
  endpoint: either('7', '', 'a\u0000', 'merchant-1\n7', 7),
  headers: either({ 'x-square-hmacsha256-signature': 'other' }, { a: 1 }, { a: null }, [], ['x'], null, 'text'),
  received_at: either('2026-09-01T14:00:04+02:00', '01/09/2026', '', 1_788_264_004, null),
});
const furtherFields = fc.record(
  {
    certificates: either(undefined, 'PEM', ['PEM'], [1], 7),
    more: either(undefined, 'unknown'),
    body: either(undefined, 'a body beside the bytes'),
  },
  { requiredKeys: [] },
);
const someFields = fc.oneof(
  { weight: 3, arbitrary: usualFields },
  { weight: 1, arbitrary: fc.tuple(usualFields, furtherFields).map(([usual, further]) => ({ ...usual, ...further })) },
);

const outcome = async (producer: ReturnType<typeof createWebhookProducer>, fields: object) => {
  try {
    return (await producer.received({ ...fields, rawBody: GOOD.rawBody } as unknown as WebhookFields)).id;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code}: ${message}`;
  }
};

test('a producer that knows the endpoint takes, refuses and publishes just what one that does not would', async () => {
  await fc.assert(
    fc.asyncProperty(someFields, async (fields) => {
      const fresh = createWebhookProducer({ sink: new MemoryRecordSink('', 1), source: '/test' });
      const knowing = createWebhookProducer({ sink: new MemoryRecordSink('', 1), source: '/test' });
      await knowing.received(GOOD);
      expect(await outcome(knowing, fields)).toBe(await outcome(fresh, fields));
    }),
    { numRuns: 500 },
  );
});
