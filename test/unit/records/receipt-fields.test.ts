import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import { NO_OPERATION } from '../../../src/evaluator/apply.ts';
import { emptyPayment, type JsonObject, type VerdictRecord } from '../../../src/evaluator/index.ts';
import { avroSchemaText } from '../../../src/records/avro-schemas.ts';
import { fromAvroShape, parseVerdictRecord, toAvroShape } from '../../../src/records/index.ts';
import { decodeState, encodeState } from '../../../src/records/state-codec.ts';
import { verdictExample } from './verdict-example.ts';

const HASH = 'A'.repeat(43);
const sealed = (previous: { revision: number; hash: string } | null): VerdictRecord => ({
  ...verdictExample(),
  receipt: {
    form: 1,
    hash: HASH,
    previous,
    chain: { log: 'receipts', shard: 3, sequence: 17, previous: previous === null ? null : HASH },
    jws: 'eyJ9..c2ln',
  },
});

describe('the receipt in a verdict record', () => {
  it.each([null, { revision: 1, hash: HASH }])('survives the way through Avro and back: previous %j', (previous) => {
    const record = sealed(previous) as unknown as JsonObject;
    const type = avro.Type.forSchema(JSON.parse(avroSchemaText('verdict')));
    const read = fromAvroShape(type.fromBuffer(type.toBuffer(toAvroShape('verdict', record))));
    expect(read).toEqual({ ok: true, value: record });
  });

  it('is read, and a part of one is not', () => {
    const record = sealed(null) as unknown as JsonObject;
    expect(parseVerdictRecord(record)).toMatchObject({ ok: true });
    expect(parseVerdictRecord({ ...record, receipt: { form: 1, hash: HASH } })).toMatchObject({
      ok: false,
      field: 'receipt.previous',
    });
  });
});

describe('the last receipt in an operation’s state', () => {
  it('is kept with it', () => {
    const ref = { provider: 'paypal', account: 'merchant-1', paymentId: '3C' } as const;
    const operation = { ...NO_OPERATION, receipt: { revision: 4, hash: HASH } };
    const state = { ...emptyPayment(ref), operations: { 'op-1': operation, 'op-2': NO_OPERATION } };
    expect(decodeState(encodeState(state))).toEqual(state);
  });
});
