import { hash } from 'node:crypto';
import { OperatingError } from '../errors.ts';
import type { JsonObject } from '../evaluator/index.ts';
import { printInstant } from '../evaluator/instant.ts';
import { TRACEPARENT_HEADER } from '../ports/consumed-record.ts';
import { jsonEncoder, type RecordEncoder } from '../ports/record-encoder.ts';
import type { OutgoingRecord, RecordSink } from '../ports/record-sink.ts';
import {
  type InputKind,
  type InputRecord,
  parseInputRecord,
  printJson,
  readJsonText,
  recordTime,
  refuseText,
  SEAL_HEADER,
  type SealKey,
  sealValue,
  topicOfKind,
} from '../records/index.ts';

/** What every producer is made with. */
export interface ProducerOptions {
  readonly sink: RecordSink;
  /** CloudEvents source: who publishes, e.g. `/payments/refund-service` */
  readonly source: string;
  /** JSON unless given */
  readonly encoder?: RecordEncoder | undefined;
  /** seals what is published; only gateway, readback worker and reviewer need one */
  readonly seal?: SealKey | undefined;
}

export interface SendOptions {
  /** W3C trace context of the request that causes the record; one that is malformed is left out */
  readonly traceparent?: string | undefined;
}

/** What was published. */
export interface Published {
  /** the Kafka key */
  readonly key: string | null;
  /** CloudEvents id: equal for the same record, so that a re-sent one can be told */
  readonly id: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Reads what a caller gives as a record of its kind.
 *
 * @throws OperatingError RECORD_MALFORMED that names the field, in `context.field` too.
 */
export const recordOf = <Kind extends InputKind>(kind: Kind, fields: object): Extract<InputRecord, { kind: Kind }> => {
  // As it will stand on the wire: what is undefined is left out, and what is too large or too deep is told here.
  const read = readJsonText(printJson({ ...fields, kind } as JsonObject));
  const parsed = read.ok ? parseInputRecord(read.value, topicOfKind(kind)) : refuseText('', read.error);
  if (!parsed.ok) throw new OperatingError(parsed.code, parsed.reason, { context: { field: parsed.field } });
  return parsed.record as Extract<InputRecord, { kind: Kind }>;
};

/** A record as it goes out under its key, with CloudEvents headers and, where there is a key for it, sealed. */
export const outgoingRecord = (
  { source, encoder = jsonEncoder, seal }: Omit<ProducerOptions, 'sink'>,
  record: InputRecord,
  key: string | null,
  { traceparent }: SendOptions,
): { readonly outgoing: OutgoingRecord; readonly published: Published } => {
  const value = encoder.encode(record.kind, record);
  const id = hash('sha256', Buffer.concat([Buffer.from(`${key ?? ''}\n`), value])).slice(0, 32);
  const timestamp = recordTime(record);
  const headers: OutgoingRecord['headers'] = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_type: record.kind,
    ce_source: source,
    ce_time: printInstant(timestamp),
    'content-type': encoder.contentType,
    ...(traceparent !== undefined && TRACEPARENT.test(traceparent) ? { [TRACEPARENT_HEADER]: traceparent } : {}),
    ...(seal === undefined ? {} : { [SEAL_HEADER]: sealValue(value, seal) }),
  };
  return { outgoing: { topic: topicOfKind(record.kind), key, value, headers, timestamp }, published: { key, id } };
};

/** Publishes a record. */
export const publish = async (
  { sink, ...options }: ProducerOptions,
  record: InputRecord,
  key: string | null,
  send: SendOptions,
): Promise<Published> => {
  const { outgoing, published } = outgoingRecord(options, record, key, send);
  await sink.write([outgoing]);
  return published;
};
