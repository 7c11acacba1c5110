import avro from 'avsc';
import { expect, test } from 'vitest';
import { createAvroEncoder } from '../../../src/drivers/kafka/avro-encoder.ts';
import { avroSchemaText, RECORD_KINDS } from '../../../src/records/avro-schemas.ts';
import { toAvroShape } from '../../../src/records/index.ts';
import { webhookExample } from '../records/examples.ts';

const ids = Object.fromEntries(RECORD_KINDS.map((kind, index) => [kind, index + 7])) as Parameters<
  typeof createAvroEncoder
>[0];
const type = avro.Type.forSchema(JSON.parse(avroSchemaText('webhook.received')));

const record = (bodyLength: number) => ({ ...webhookExample(), body: 'é'.repeat(bodyLength) });

test('writes records of any size in the wire format, and each into bytes of its own', () => {
  const encoder = createAvroEncoder(ids);
  const given = [10, 100_000, 20].map(record);
  const written = given.map((one) => encoder.encode('webhook.received', one));
  for (const [index, bytes] of written.entries()) {
    const shape = toAvroShape('webhook.received', given[index] as never);
    expect(bytes.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 0, ids['webhook.received']]));
    expect(bytes.subarray(5)).toEqual(type.toBuffer(shape));
  }
});
