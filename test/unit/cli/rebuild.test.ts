import { describe, expect, it } from 'vitest';
import { compareStates } from '../../../src/cli/rebuild/compare-states.ts';
import { mergedRecords } from '../../../src/cli/rebuild/merged-records.ts';
import type { PartitionReader } from '../../../src/drivers/kafka/partition-reader.ts';
import { NO_OPERATION } from '../../../src/evaluator/apply.ts';
import { emptyPayment, type PaymentState } from '../../../src/evaluator/index.ts';
import type { ConsumedRecord } from '../../../src/ports/consumed-record.ts';
import { runCli } from '../../support/run-cli.ts';

const REF = { provider: 'paypal', account: 'm', paymentId: 'P' } as const;
const EMPTY = emptyPayment(REF);

const event = (key: string): PaymentState['events'][number] => ({
  key,
  id: key,
  type: 'PAYMENT.CAPTURE.REFUNDED',
  role: 'refund',
  refundId: 'R',
  status: null,
  occurredAt: null,
  at: 1,
  sha256: key,
  source: { topic: 't', partition: 0, offset: '1' },
});

describe('comparing states', () => {
  it('finds none between equal states, whatever is only derived', () => {
    expect(compareStates(EMPTY, { ...EMPTY, evaluateAt: 99 })).toEqual([]);
    expect(compareStates(null, null)).toEqual([]);
  });

  it('names an event that one of them lacks, and not all that stand behind it', () => {
    const live = { ...EMPTY, events: [event('b'), event('c')] };
    const rebuilt = { ...EMPTY, events: [event('a'), event('b'), event('c')] };
    const found = compareStates(live, rebuilt);
    expect(found.map(({ path, live: ours }) => [path, ours])).toEqual([['events.a', null]]);
  });

  it('does not compare receipts: they seal what was published, with the times and revisions that are left out', () => {
    const published = { ...EMPTY, operations: { 'op-1': { ...NO_OPERATION, receipt: { revision: 2, hash: 'h' } } } };
    const rebuilt = { ...EMPTY, operations: { 'op-1': NO_OPERATION } };
    expect(compareStates(published, rebuilt)).toEqual([]);
  });

  it('says that a whole state is missing', () => {
    expect(compareStates(EMPTY, null)).toEqual([{ path: '', live: 'there is a state', rebuilt: null }]);
  });
});

const record = (topic: string, offset: number, timestamp: number): ConsumedRecord => ({
  topic,
  partition: 0,
  offset: String(offset),
  timestamp,
  key: null,
  value: Buffer.from('{}'),
  headers: {},
});

/** Topics in memory, fetched two records at a time; one offset in three is a transaction's marker. */
const readerOf = (logs: Readonly<Record<string, readonly ConsumedRecord[]>>): PartitionReader => ({
  ends: () => Promise.reject(new Error('not asked')),
  bounds: () => Promise.reject(new Error('not asked')),
  close: async () => undefined,
  read: async (topic, _partition, from) => {
    const records = (logs[topic] ?? []).filter(({ offset }) => BigInt(offset) >= from).slice(0, 2);
    const last = records.at(-1);
    return { records, next: last === undefined ? 100n : BigInt(last.offset) + 1n, end: 100n };
  },
});

describe('merging the topics of a partition', () => {
  const logs = {
    a: [record('a', 0, 10), record('a', 1, 40), record('a', 3, 50)],
    b: [record('b', 0, 20), record('b', 2, 30), record('b', 3, 60)],
  };

  it('tells records by their time, keeps each topic in order, and stops at the offsets it is given', async () => {
    const told: string[] = [];
    let next = new Map<string, bigint>();
    const spans = [
      { topic: 'a', from: 0n, until: 4n },
      { topic: 'b', from: 0n, until: 3n },
    ];
    for await (const batch of mergedRecords(readerOf(logs), 0, spans)) {
      told.push(...batch.records.map(({ topic, offset }) => `${topic}${offset}`));
      next = new Map(batch.next);
    }
    expect(told).toEqual(['a0', 'b0', 'b2', 'a1', 'a3']);
    expect(next).toEqual(
      new Map([
        ['a', 4n],
        ['b', 3n],
      ]),
    );
  });
});

it('refuses options of --into without it, and says so', async () => {
  const run = await runCli(['rebuild', '--partitions', '8']);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('--partitions and --for-topics are of --into');
});
