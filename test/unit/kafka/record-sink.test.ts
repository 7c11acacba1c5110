import type { Kafka, ProducerRecord } from 'kafkajs';
import { expect, it } from 'vitest';
import { createKafkaRecordSink } from '../../../src/drivers/kafka/record-sink.ts';
import type { OutgoingRecord } from '../../../src/ports/record-sink.ts';

const record = (text: string): OutgoingRecord => ({
  topic: 'webhook-received',
  key: 'k',
  value: Buffer.from(text),
  headers: {},
  timestamp: 0,
});

interface Send {
  /** which of the client's producers it went through, from 1 */
  readonly producer: number;
  readonly texts: readonly string[];
  readonly end: (error?: Error) => void;
}

/** A client whose sends end when the test says so. */
const fakeKafka = () => {
  const sends: Send[] = [];
  let made = 0;
  let gone = 0;
  const producer = () => {
    made += 1;
    const number = made;
    return {
      connect: async () => undefined,
      disconnect: async () => {
        gone += 1;
      },
      send: ({ messages }: ProducerRecord) =>
        new Promise<void>((resolve, reject) => {
          const texts = messages.map(({ value }) => `${value}`);
          sends.push({ producer: number, texts, end: (error) => (error === undefined ? resolve() : reject(error)) });
        }),
    };
  };
  return { kafka: { producer } as unknown as Kafka, sends, gone: () => gone };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('sends one write at a time: the client would give two batches the same sequence numbers', async () => {
  const { kafka, sends } = fakeKafka();
  const sink = createKafkaRecordSink(kafka, '');
  const written = [sink.write([record('a')]), sink.write([record('b')])];
  await turn();
  expect(sends.map(({ texts }) => texts)).toEqual([['a']]);
  sends[0]?.end();
  await turn();
  expect(sends.map(({ texts }) => texts)).toEqual([['a'], ['b']]);
  sends[1]?.end();
  await Promise.all(written);
});

it('takes a new producer after a send that failed: its sequence numbers may be taken', async () => {
  const { kafka, sends, gone } = fakeKafka();
  const sink = createKafkaRecordSink(kafka, '');
  const lost = sink.write([record('a')]);
  const next = sink.write([record('b')]);
  await turn();
  sends[0]?.end(new Error('the answer was lost'));
  await expect(lost).rejects.toMatchObject({ code: 'BROKER_UNAVAILABLE' });
  await turn();
  expect(sends.map(({ producer }) => producer)).toEqual([1, 2]);
  expect(gone()).toBe(1);
  sends[1]?.end();
  await next;
  await sink.close();
  expect(gone()).toBe(2);
});
