import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { Message } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { crc32c } from '../../../src/drivers/kafka/wire/crc32c.ts';
import { installWireCodec } from '../../../src/drivers/kafka/wire/install.ts';
import { encodeProduceRequest, type ProduceRequest } from '../../../src/drivers/kafka/wire/produce-request.ts';
import { type BatchContext, readRecord } from '../../../src/drivers/kafka/wire/record-reader.ts';

// The client's own code: what ours must be equal to. Loaded before ours is put in its place.
const load = createRequire(import.meta.url);
const clientRequest = load('kafkajs/src/protocol/requests/produce/v3/request') as (request: ProduceRequest) => {
  encode(): Promise<{ readonly buffer: Buffer }>;
};
const clientRecord = load('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => { buffer: Buffer };
const ClientDecoder = load('kafkajs/src/protocol/decoder') as new (
  bytes: Buffer,
) => { buffer: Buffer; offset: number; readVarIntBytes(): Buffer };
const clientRead = load('kafkajs/src/protocol/recordBatch/record/v0/decoder') as (
  decoder: object,
  context: BatchContext,
) => unknown;
const clientCrc = load('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;

const NOW = Date.parse('2026-09-01T12:00:00.000Z');

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 80 }),
);
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const headerValue = fc.oneof(text, bytes);
// A name that every object inherits is not read well by the client: it has a test of its own below.
const headers = fc.dictionary(
  text.filter((name) => !(name in Object.prototype)),
  fc.oneof(headerValue, fc.array(headerValue, { minLength: 1, maxLength: 3 })),
  { maxKeys: 5 },
);
// All timestamps have thirteen digits: the client puts them in order as texts.
const timestamp = fc.integer({ min: NOW - 1_000_000, max: NOW + 1_000_000 }).map(String);
const message: fc.Arbitrary<Message> = fc.record(
  {
    key: fc.oneof(text, bytes, fc.constant(null)),
    value: fc.oneof(text, bytes, fc.constant(null)),
    headers,
    timestamp,
  },
  { requiredKeys: ['value', 'timestamp'] },
);
const partition = fc.record({
  partition: fc.nat(1000),
  firstSequence: fc.nat(2 ** 31 - 1),
  messages: fc.array(message, { minLength: 1, maxLength: 8 }),
});
const request: fc.Arbitrary<ProduceRequest> = fc.record({
  acks: fc.constantFrom(-1, 1),
  timeout: fc.nat(60_000),
  transactionalId: fc.option(text.filter((id) => id !== '')) as fc.Arbitrary<string | null>,
  producerId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
  producerEpoch: fc.nat(32_767),
  topicData: fc.array(fc.record({ topic: text, partitions: fc.array(partition, { maxLength: 3 }) }), { maxLength: 3 }),
});

describe('the wire codec', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('writes the bytes of a produce request that the client writes', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const { buffer } = await clientRequest(given).encode();
        expect(encodeProduceRequest(given, NOW)).toEqual(buffer);
      }),
    );
  });

  it('gives a message without a timestamp the time of its writing', async () => {
    const messages = [{ key: 'a', value: 'b' }];
    const given = { acks: -1, timeout: 1, topicData: [{ topic: 't', partitions: [{ partition: 0, messages }] }] };
    expect(encodeProduceRequest(given, NOW)).toEqual((await clientRequest(given).encode()).buffer);
  });

  it('reads records as the client reads them', () => {
    const context = fc.record({
      firstOffset: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n - 1000n }).map(String),
      firstTimestamp: fc.integer({ min: 0, max: 2 ** 42 }).map(String),
      maxTimestamp: timestamp,
      timestampType: fc.constantFrom(0, 1),
      isControlBatch: fc.boolean(),
      magicByte: fc.constant(2),
    });
    fc.assert(
      fc.property(message, context, fc.nat(500), fc.nat(1_000_000), (given, of, offsetDelta, timestampDelta) => {
        const { key = null, value, headers: named = {} } = given;
        const { buffer } = clientRecord({ key, value, headers: named, offsetDelta, timestampDelta });
        const body = new ClientDecoder(buffer).readVarIntBytes();
        expect(readRecord(body, 0, of)).toEqual(clientRead(new ClientDecoder(body), of));
      }),
    );
  });

  it('reads a time before the batch’s first, and a header named like the prototype', () => {
    // attributes, timestamp delta -1, offset delta 1, no key, no value, one header
    const name = Buffer.from('__proto__');
    const record = Buffer.concat([Buffer.from([0, 1, 2, 1, 1, 2, name.length * 2]), name, Buffer.from([2, 0x61])]);
    const context = { firstOffset: '7', firstTimestamp: '1000', maxTimestamp: '', timestampType: 1, magicByte: 2 };
    const read = readRecord(record, 0, context);
    expect(read).toMatchObject({ offset: '8', timestamp: '999', key: null, value: null, isControlRecord: false });
    expect(Object.entries(read.headers)).toEqual([['__proto__', Buffer.from('a')]]);
    const { buffer } = clientRecord({ key: null, value: '', headers: { valueOf: 'b', toString: ['c', 'd'] } });
    const inherited = readRecord(new ClientDecoder(buffer).readVarIntBytes(), 0, context).headers;
    expect(Object.entries(inherited)).toEqual([
      ['valueOf', Buffer.from('b')],
      ['toString', [Buffer.from('c'), Buffer.from('d')]],
    ]);
  });

  it('has the checksum of the standard and of the client', () => {
    expect(crc32c(Buffer.from('123456789'), 0) >>> 0).toBe(0xe3069283);
    fc.assert(
      fc.property(bytes, (given) => {
        expect(crc32c(given, 0) >>> 0).toBe(clientCrc(given));
      }),
    );
  });

  it('takes its place in the client, and leaves compressed batches to it', async () => {
    installWireCodec();
    installWireCodec();
    const messages = [{ key: 'a', value: 'b', timestamp: String(NOW) }];
    const given = { acks: -1, timeout: 1, topicData: [{ topic: 't', partitions: [{ partition: 0, messages }] }] };
    const replaced = load('kafkajs/src/protocol/requests/produce/v3/request') as typeof clientRequest;
    expect(replaced).not.toBe(clientRequest);
    expect((await replaced(given).encode()).buffer).toEqual((await clientRequest(given).encode()).buffer);
    const packed = { ...given, compression: 1 };
    expect((await replaced(packed).encode()).buffer).toEqual((await clientRequest(packed).encode()).buffer);
    const read = load('kafkajs/src/protocol/recordBatch/record/v0/decoder') as typeof clientRead;
    expect(read).not.toBe(clientRead);
  });
});
