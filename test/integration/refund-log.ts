import type { ConsumedRecord } from '../../src/ports/consumed-record.ts';
import { partitionOfKey } from '../../src/records/partition.ts';
import { INPUT_TOPICS, type InputTopic } from '../../src/records/topics.ts';
import { Random } from '../simulation/random.ts';

/** One record of a generated log. */
export interface LogEntry {
  readonly topic: InputTopic;
  readonly key: string;
  readonly value: string;
  /** milliseconds since the epoch: the record's own time */
  readonly at: number;
}

const ACCOUNT = 'merchant-1';
const seconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** What becomes of one refund of 10.00 USD. */
type Story = 'settled' | 'failed' | 'wrong amount' | 'doubled' | 'silent' | 'redelivered';
const STORIES: readonly Story[] = [
  ...Array<Story>(6).fill('settled'),
  'failed',
  'wrong amount',
  'doubled',
  'silent',
  'redelivered',
  'redelivered',
];

const refund = (id: string, capture: string, at: number, status: string, value: string) => ({
  id,
  status,
  amount: { value, currency_code: 'USD' },
  create_time: seconds(at),
  update_time: seconds(at),
  links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${capture}` }],
});

const entriesOf = (story: Story, id: string, at: number): LogEntry[] => {
  const capture = `CAP${id}`;
  const key = `paypal:${ACCOUNT}:${capture}`;
  const common = { operation_id: `op-${id}`, provider: 'paypal', account: ACCOUNT };
  const entry = (topic: InputTopic, after: number, value: object, keyed = key): LogEntry => ({
    topic,
    key: keyed,
    value: JSON.stringify(value),
    at: at + after,
  });
  const status = story === 'failed' ? 'FAILED' : 'COMPLETED';
  const amount = story === 'wrong amount' ? '12.00' : '10.00';
  const iso = (after: number): string => new Date(at + after).toISOString();
  const event = (refundId: string, after: number, eventId: string): LogEntry =>
    entry('webhook-received', after, {
      kind: 'webhook.received',
      provider: 'paypal',
      account: ACCOUNT,
      endpoint: 'default',
      headers: {},
      received_at: iso(after),
      body: JSON.stringify({
        id: eventId,
        event_type: status === 'FAILED' ? 'PAYMENT.REFUND.FAILED' : 'PAYMENT.CAPTURE.REFUNDED',
        create_time: seconds(at + after),
        resource_type: 'refund',
        resource: refund(refundId, capture, at + 2_000, status, amount),
      }),
    });
  const started = entry('operation-started', 0, {
    kind: 'operation.started',
    ...common,
    contract: { id: 'paypal.refund.completed' },
    created_at: iso(0),
    input: { capture_id: capture, amount: '10.00', currency_code: 'USD' },
  });
  if (story === 'silent') return [started];
  return [
    started,
    entry('operation-started', 1_500, {
      kind: 'operation.acted',
      ...common,
      payment_id: capture,
      action: { result: { id: `R${id}`, status: 'PENDING' }, completed_at: iso(1_500) },
    }),
    event(`R${id}`, 3_000, `WH-${id}`),
    ...(story === 'redelivered' ? [event(`R${id}`, 4_000, `WH-${id}`), event(`R${id}`, 5_000, `WH-${id}`)] : []),
    ...(story === 'doubled' ? [event(`R${id}X`, 6_000, `WH-${id}X`)] : []),
    entry('readback-result', 20_000, {
      kind: 'readback.result',
      ...common,
      payment_id: capture,
      channel: 'refund_readback',
      observed_at: iso(20_000),
      outcome: 'ok',
      http_status: 200,
      body: JSON.stringify(refund(`R${id}`, capture, at + 2_000, status, amount)),
    }),
  ];
};

/** A log of `count` refunds that began from `from` on, 50 ms apart, in the order of its records' own times. The same seed, the same log. */
export const refundLog = (seed: number, count: number, from: number): LogEntry[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, n) => entriesOf(random.pick(STORIES), `${seed}-${n}`, from + n * 50))
    .flat()
    .sort((a, b) => a.at - b.at);
};

/** The same log as `replay` would read it, each record on the partition of its key. */
export const asConsumed = (log: readonly LogEntry[], prefix: string, partitions: number): ConsumedRecord[] => {
  const ends = new Map<string, number>();
  return log.map(({ topic, key, value, at }) => {
    const partition = partitionOfKey(key, partitions);
    const name = `${topic}/${partition}`;
    const offset = ends.get(name) ?? 0;
    ends.set(name, offset + 1);
    return {
      topic: `${prefix}${topic}`,
      partition,
      offset: String(offset),
      timestamp: at,
      key: Buffer.from(key),
      value: Buffer.from(value),
      headers: {},
    };
  });
};

export { INPUT_TOPICS };
