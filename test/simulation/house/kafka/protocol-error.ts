import { createRequire } from 'node:module';

interface ErrorCodeEntry {
  readonly type: string;
  readonly code: number;
}

const load = createRequire(import.meta.url);
const { errorCodes, createErrorFromCode } = load('kafkajs/src/protocol/error') as {
  errorCodes: readonly ErrorCodeEntry[];
  createErrorFromCode: (code: number) => Error;
};
const { KafkaJSConnectionClosedError, KafkaJSOffsetOutOfRange } = load('kafkajs/src/errors') as {
  KafkaJSConnectionClosedError: new (message: string, options: { host: string; port: number }) => Error;
  KafkaJSOffsetOutOfRange: new (cause: Error, options: { topic: string; partition: number }) => Error;
};

/** The error that the client makes of a broker's answer. */
export const protocolError = (type: string): Error => {
  const entry = errorCodes.find((one) => one.type === type);
  if (entry === undefined) throw new TypeError(`the client knows no error ${type}`);
  return createErrorFromCode(entry.code);
};

export const offsetOutOfRange = (topic: string, partition: number): Error =>
  new KafkaJSOffsetOutOfRange(protocolError('OFFSET_OUT_OF_RANGE'), { topic, partition });

export const connectionClosed = (doing: string): Error =>
  new KafkaJSConnectionClosedError(`Closed connection: ${doing}`, { host: 'sim', port: 9092 });
