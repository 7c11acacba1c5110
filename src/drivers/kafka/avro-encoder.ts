import avro from 'avsc';
import type { JsonObject } from '../../evaluator/index.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { RecordKind } from '../../records/avro-plan.ts';
import { avroSchemaText, RECORD_KINDS } from '../../records/avro-schemas.ts';
import { MAGIC_BYTE, toAvroShape } from '../../records/index.ts';
import type { SchemaIds } from './registry.ts';

/** Writes Avro in the Confluent wire format: a zero byte, the schema's id, the value. `ids` come from `registerSchemas`. */
export const createAvroEncoder = (ids: SchemaIds): RecordEncoder => {
  const writers = new Map(RECORD_KINDS.map((kind) => [kind, writerOf(kind, ids[kind])]));
  return {
    contentType: 'application/avro',
    encode: (kind, record) => {
      const writer = writers.get(kind);
      if (writer === undefined) throw new TypeError(`there is no Avro schema of kind ${kind}`);
      return writer(record as JsonObject);
    },
  };
};

/**
 * What every record is written into before it is copied out: the library's own is so small that most verdicts are written
 * twice.
 */
let scratch = Buffer.alloc(16_384);

const writerOf = (kind: RecordKind, id: number): ((record: JsonObject) => Buffer) => {
  const type = avro.Type.forSchema(JSON.parse(avroSchemaText(kind)) as avro.Schema);
  const header = Buffer.alloc(5, MAGIC_BYTE);
  header.writeUInt32BE(id, 1);
  return (record) => {
    const shape = toAvroShape(kind, record);
    header.copy(scratch);
    // A negative end says how many bytes were missing.
    let end = type.encode(shape, scratch, header.length);
    if (end < 0) {
      scratch = Buffer.alloc(2 * (scratch.length - end));
      header.copy(scratch);
      end = type.encode(shape, scratch, header.length);
    }
    return Buffer.from(scratch.subarray(0, end));
  };
};
