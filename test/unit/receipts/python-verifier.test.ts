import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/evaluator/index.ts';
import { publicKeys } from '../../../src/receipts/index.ts';
import { canonicalText } from '../../../src/records/canonical-text.ts';
import { parseJsonText, printJson } from '../../../src/records/json-text.ts';
import { hasPython, runPython, WHY_NOT } from '../../support/python.ts';
import { receiptVectors } from '../../support/receipt-vectors.ts';
import { sealerWith, TestShard, testKey, verdictOf } from '../../support/receipts.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-python-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const verify = (keys: object, texts: readonly string[], ...flags: string[]) => {
  const [keyPath, path] = [write('keys.json', JSON.stringify(keys)), write('lines', texts.join('\n'))];
  const { status, lines } = runPython(['verify.py', '--keys', keyPath, ...flags, path]);
  return { status, codes: lines.slice(0, -1).map(({ code }) => code), summary: lines.at(-1) };
};

const CANONICAL =
  'import json, sys, verify\nfor line in sys.stdin: print(json.dumps(verify.canonical(json.loads(line))))';
const canonical = (texts: readonly string[]): unknown[] => runPython(['-c', CANONICAL], texts.join('\n')).lines;

/** A number that a record holds is an integer or has at most 15 digits: any other stays text when it is read. */
const rounded = (value: Json): Json => {
  if (typeof value === 'number') return Number(value.toPrecision(15));
  if (Array.isArray(value)) return (value as readonly Json[]).map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rounded(item)]));
};

describe.skipIf(!hasPython)(`the verifier in Python${WHY_NOT}`, () => {
  it('finds the golden vectors in order, as records and as receipts', async () => {
    const vectors = await receiptVectors();
    const jws = vectors.receipts.map((one) => one.jws);
    expect(verify(vectors.public_keys, vectors.verdicts)).toMatchObject({ status: 0, summary: { receipts: 4 } });
    expect(verify(vectors.public_keys, jws, '--audit')).toMatchObject({ status: 0, summary: { receipts: 4 } });
  });

  it('says of every broken vector what Countersign says', async () => {
    const vectors = await receiptVectors();
    const lines = vectors.broken.map(({ line }) => line);
    expect(verify(vectors.public_keys, lines)).toMatchObject({
      status: 4,
      codes: vectors.broken.map(({ code }) => code),
    });
  });

  it('does not pass over a verdict whose kind was changed', async () => {
    const vectors = await receiptVectors();
    const lines = vectors.verdicts.map((line) => JSON.stringify({ ...JSON.parse(line), kind: 'operation.acted' }));
    const sealed = lines.filter((line) => JSON.parse(line).receipt !== null);
    expect(verify(vectors.public_keys, sealed).codes).toEqual(sealed.map(() => 'RECEIPT_ALTERED'));
  });

  it('writes the same canonical text', async () => {
    const vectors = await receiptVectors();
    expect(canonical(vectors.canonical.map(({ json }) => json))).toEqual(vectors.canonical.map((one) => one.canonical));
    const drawn = fc.sample(
      fc.oneof(fc.jsonValue({ noUnicodeString: false }), fc.double({ noNaN: true, noDefaultInfinity: true })),
      500,
    );
    const texts = drawn.map((value) => printJson(rounded(value as Json)));
    expect(canonical(texts)).toEqual(texts.map((text) => canonicalText(parseJsonText(text))));
  });

  it('finds a run in order, and finds what is removed, moved and forged', async () => {
    const [key, stranger] = [testKey('k1'), testKey('k1')];
    const shard = new TestShard(sealerWith(key));
    const { jws, records } = await shard.publish([
      ...['op-1', 'op-2', 'op-3'].map((operation) => verdictOf(operation, 1)),
      verdictOf('op-2', 2, { verdict: 'CONTRADICTED', class: 'duplicate_side_effect' }),
    ]);
    const keys = publicKeys([key]);
    expect(verify(keys, jws, '--audit').status).toBe(0);
    expect(
      verify(
        keys,
        records.map((record) => printJson(record as never)),
      ).status,
    ).toBe(0);
    expect(verify(keys, jws.toSpliced(0, 1), '--audit').codes).toContain('CHAIN_BROKEN');
    expect(verify(keys, [jws[1] ?? '', jws[0] ?? '', ...jws.slice(2)], '--audit').codes).toContain('CHAIN_BROKEN');
    expect(verify(publicKeys([stranger]), jws).codes).toEqual(Array(4).fill('RECEIPT_SIGNATURE_INVALID'));
  });
});
