import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsumedRecord } from '../../src/ports/consumed-record.ts';
import type { OutgoingRecord, RecordSink } from '../../src/ports/record-sink.ts';
import { type InputTopic, partitionOfKey } from '../../src/records/index.ts';

/** A sink over empty topics of `partitions` each, and a way to read them back. */
export interface RecordSinkHarness {
  readonly sink: RecordSink;
  readonly partitions: number;
  /** everything that stands on one partition of the topic, oldest first */
  read(topic: InputTopic, partition: number): Promise<readonly ConsumedRecord[]>;
  dispose(): Promise<void>;
}

const outgoing = (key: string | null, text: string, topic: InputTopic = 'operation-started'): OutgoingRecord => ({
  topic,
  key,
  value: Buffer.from(text),
  headers: { ce_type: 'operation.started', traceparent: 'é' },
  timestamp: Date.parse('2026-09-01T12:00:00.350Z'),
});

/** What any record sink must do; `create` makes a fresh one for each test. */
export const describeRecordSink = (name: string, create: () => Promise<RecordSinkHarness>): void => {
  describe(`record sink: ${name}`, () => {
    let harness: RecordSinkHarness;
    beforeEach(async () => {
      harness = await create();
    });
    afterEach(async () => await harness.dispose());

    const all = async (topic: InputTopic): Promise<readonly ConsumedRecord[]> => {
      const partitions = Array.from({ length: harness.partitions }, (_, partition) => harness.read(topic, partition));
      return (await Promise.all(partitions)).flat();
    };

    it('keeps key, value, headers and time as they are', async () => {
      await harness.sink.write([outgoing('paypal:a:é', '{"kind":1}')]);
      const [record] = await all('operation-started');
      expect(Buffer.from(record?.key ?? []).toString('utf8')).toBe('paypal:a:é');
      expect(Buffer.from(record?.value ?? []).toString('utf8')).toBe('{"kind":1}');
      expect(record).toMatchObject({
        offset: '0',
        timestamp: Date.parse('2026-09-01T12:00:00.350Z'),
        headers: { ce_type: 'operation.started', traceparent: 'é' },
      });
    });

    it("puts each key on the partition that Java's default partitioner gives it", async () => {
      const keys = Array.from({ length: 60 }, (_, n) => `shopify:shop-${n}:gid://shopify/Order/${n}é`);
      await harness.sink.write(keys.map((key) => outgoing(key, key)));
      for (const record of await all('operation-started')) {
        const key = Buffer.from(record.key ?? []).toString('utf8');
        expect(record.partition).toBe(partitionOfKey(key, harness.partitions));
      }
      expect(await all('operation-started')).toHaveLength(60);
    });

    it('keeps the order of a key over several writes', async () => {
      const texts = Array.from({ length: 30 }, (_, n) => `${n}`);
      for (let n = 0; n < 30; n += 10) {
        await harness.sink.write(texts.slice(n, n + 10).map((text) => outgoing('stripe:a:ch_1', text)));
      }
      const kept = await harness.read('operation-started', partitionOfKey('stripe:a:ch_1', harness.partitions));
      expect(kept.map(({ value }) => Buffer.from(value ?? []).toString())).toEqual(texts);
    });

    it('writes to several topics at once', async () => {
      await harness.sink.write([outgoing('k', 'a'), outgoing('k', 'b', 'review-decided'), outgoing('k', 'c')]);
      expect(await all('operation-started')).toHaveLength(2);
      expect(await all('review-decided')).toHaveLength(1);
    });

    it('takes a record without a key, on any partition', async () => {
      await harness.sink.write([outgoing(null, 'a'), outgoing(null, 'b')]);
      const kept = await all('operation-started');
      expect(kept.map(({ key }) => key)).toEqual([null, null]);
    });

    it('takes nothing at all', async () => {
      await harness.sink.write([]);
      await harness.sink.write([outgoing('k', 'a')]);
      expect(await all('operation-started')).toHaveLength(1);
    });
  });
};
