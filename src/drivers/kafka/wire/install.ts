import { createRequire } from 'node:module';
import { encodeProduceRequest, type ProduceRequest } from './produce-request.ts';
import { type BatchContext, readRecord } from './record-reader.ts';

type MakeRequest = (request: ProduceRequest) => object;
type DecodeRecord = (decoder: { readonly buffer: Buffer; readonly offset: number }, context?: BatchContext) => unknown;

const require = createRequire(import.meta.url);

/** Puts ours in the place of a module of the client. */
const replace = <T>(name: string, make: (original: T) => T): void => {
  const path = require.resolve(`kafkajs/src/protocol/${name}`);
  const original = require(path) as T;
  const loaded = require.cache[path];
  if (loaded === undefined) throw new TypeError(`kafkajs/src/protocol/${name} is not in the module cache`);
  loaded.exports = make(original);
};

let isInstalled = false;

/**
 * Lets the client write produce requests and read records with our code. Its own writes a record through a zero-filled buffer
 * for it and for each of its headers, copies a request eight times, and counts offsets and timestamps in bigints. The same
 * bytes come from one buffer here, and the same records from plain numbers (a test holds them equal). Compressed batches, which
 * we do not send, stay the client's.
 *
 * The client is pinned and has had no release since 2023; it loads these modules when they are first used.
 */
export const installWireCodec = (): void => {
  if (isInstalled) return;
  isInstalled = true;
  replace<MakeRequest>('requests/produce/v3/request', (original) => (request) => {
    if ((request.compression ?? 0) !== 0) return original(request);
    const encode = async () => {
      const buffer = encodeProduceRequest(request, Date.now());
      // What the client takes from an encoder of its own.
      return { buf: buffer, buffer, size: () => buffer.length };
    };
    return { ...original(request), encode };
  });
  replace<DecodeRecord>(
    'recordBatch/record/v0/decoder',
    (original) => (decoder, context) =>
      context === undefined ? original(decoder) : readRecord(decoder.buffer, decoder.offset, context),
  );
};
