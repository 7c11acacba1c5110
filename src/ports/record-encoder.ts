import type { RecordKind } from '../records/avro-plan.ts';
import { encodeJson } from '../records/codec.ts';

/** Turns a record into the bytes of a Kafka value: Avro where a registry is configured, else JSON. */
export interface RecordEncoder {
  /** for the header `content-type` */
  readonly contentType: 'application/json' | 'application/avro';
  /** `record` has been parsed or made by its type's owner; nothing is checked here. */
  encode(kind: RecordKind, record: object): Buffer;
}

/** Where no registry is configured. */
export const jsonEncoder: RecordEncoder = {
  contentType: 'application/json',
  encode: (_kind, record) => encodeJson(record),
};
