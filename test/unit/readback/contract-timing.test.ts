import { expect, test } from 'vitest';
import { EmbeddedPipeline } from '../../../src/drivers/memory/embedded-pipeline.ts';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import type { ReadOutcome } from '../../../src/ports/provider-reader.ts';
import type { RecordSink } from '../../../src/ports/record-sink.ts';
import { createReadbackProducer } from '../../../src/producers/readback-producer.ts';
import { trustingDeps } from '../../support/batch-deps.ts';
import { ReadbackFixture } from '../../support/readback-fixture.ts';
import { settle } from '../../support/test-time.ts';

const REFUND = '1JU08902781691411';
const CAPTURE = '3C679366HH908993R';

interface Told {
  /** seconds after the start, as the provider was asked */
  readonly asked: number[];
  readonly verdicts: VerdictRecord[];
}

/** One PayPal refund, from its start on, with a worker that reads what `play` says, until `hours` have passed. */
const told = async (play: (ms: number) => ReadOutcome, hours: number, pollMs: number): Promise<Told> => {
  const fixture = new ReadbackFixture();
  const start = fixture.time.now();
  const asked: number[] = [];
  const verdicts: VerdictRecord[] = [];
  const pipeline = await EmbeddedPipeline.open({
    deps: trustingDeps(),
    clock: fixture.time,
    journal: null,
    onWarning: () => undefined,
    onVerdict: ({ verdict }) => void verdicts.push(verdict),
    onDeadLetter: ({ code, reason }) => {
      throw new Error(`${code}: ${reason}`);
    },
  });
  const sink: RecordSink = {
    write: (records) => pipeline.append(records.map((record) => ({ ...record, value: record.value.toString('utf8') }))),
    close: async () => undefined,
  };
  const lane = fixture.lane(() => {
    const ms = fixture.time.now() - start;
    asked.push(ms / 1000);
    return play(ms);
  }, 'merchant-1');
  const worker = fixture.worker([lane], {
    store: pipeline.reads,
    producer: createReadbackProducer({ sink, source: '/test' }),
    pollMs,
  });
  const base = { operation_id: 'op-1', provider: 'paypal', account: 'merchant-1' };
  const at = (ms: number): string => new Date(start + ms).toISOString();
  const records = [
    {
      kind: 'operation.started',
      ...base,
      contract: { id: 'paypal.refund.completed', version: '1.1.0' },
      created_at: at(0),
      input: { capture_id: CAPTURE, amount: '10.00', currency_code: 'USD' },
    },
    {
      kind: 'operation.acted',
      ...base,
      payment_id: CAPTURE,
      action: { result: { id: REFUND, status: 'PENDING' }, completed_at: at(0) },
    },
    {
      kind: 'webhook.received',
      ...base,
      endpoint: 'default',
      headers: {},
      received_at: at(0),
      body: JSON.stringify({
        id: 'WH-1',
        event_type: 'PAYMENT.CAPTURE.REFUNDED',
        create_time: at(0),
        resource: { ...refund('COMPLETED', at(0)), update_time: at(3_600_000) },
      }),
    },
  ];
  const topics = ['operation-started', 'operation-started', 'webhook-received'] as const;
  for (const [index, record] of records.slice(0, 2).entries()) {
    await pipeline.append([{ topic: topics[index] ?? 'operation-started', value: JSON.stringify(record) }]);
  }
  worker.start();
  for (let minute = 0; minute < hours * 60; minute += 1) {
    await fixture.time.pass(60_000);
    await pipeline.tick();
    await settle();
    if (minute === 70) await pipeline.append([{ topic: 'webhook-received', value: JSON.stringify(records[2]) }]);
  }
  await worker.stop(0);
  await pipeline.close();
  expect(fixture.fatal).toEqual([]);
  return { asked, verdicts };
};

const refund = (status: string, createdAt: string) => ({
  id: REFUND,
  status,
  amount: { value: '10.00', currency_code: 'USD' },
  create_time: createdAt,
  links: [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${CAPTURE}` }],
});

const ok = (status: string): ReadOutcome => ({
  outcome: 'ok',
  httpStatus: 200,
  body: JSON.stringify(refund(status, '2026-09-01T12:00:00Z')),
});

/** The contract's table: 2 s, then 5 s doubling to 300 s. */
const allowed = (untilSeconds: number): number[] => {
  const times: number[] = [];
  let at = 2;
  for (let attempt = 1; at < untilSeconds; attempt += 1) {
    times.push(at);
    at += Math.min(5 * 2 ** (attempt - 1), 300);
  }
  return times;
};

test('a refund that is absent for 10 s, pending for an hour and then completed is verified with the reads that its contract allows', async () => {
  const { asked, verdicts } = await told(
    (ms) => {
      if (ms < 10_000) return { outcome: 'absent', httpStatus: 404 };
      return ok(ms < 3_600_000 ? 'PENDING' : 'COMPLETED');
    },
    3,
    100,
  );
  expect(verdicts.at(-1)).toMatchObject({ verdict: 'VERIFIED', money_moved: true });
  process.stdout.write(`reads, in seconds after the start: ${asked.join(' ')}\n`);
  const table = allowed(3_600);
  const regular = asked.slice(0, table.length);
  // Each read begins when the table says, or at the worker's next look at the queue.
  for (const [index, at] of regular.entries()) {
    const before = index === 0 ? 0 : (regular[index - 1] ?? 0);
    const wait = index === 0 ? 2 : Math.min(5 * 2 ** (index - 1), 300);
    expect(at - before).toBeGreaterThanOrEqual(wait);
    expect(at - before).toBeLessThanOrEqual(wait + 0.2);
  }
  // One more finds it completed; the event may ask for one of its own, and then nothing is left to ask.
  expect(asked.length).toBeGreaterThan(table.length - 1);
  expect(asked.length).toBeLessThanOrEqual(table.length + 2);
});
