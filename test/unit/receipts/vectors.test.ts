import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { auditChains, KeySet, parseKeySet, verifyLines } from '../../../src/receipts/index.ts';
import { receiptVectors, vectorKeys } from '../../support/receipt-vectors.ts';
import { linesOf } from '../../support/receipts.ts';

const FILE = new URL('../../../docs/reference/receipts-vectors.json', import.meta.url);
const vectors = await receiptVectors();
const keys = parseKeySet(JSON.stringify(vectors.public_keys), 'vectors');
const strict = { isPartial: false, allowsUnsealed: false };
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');

describe('the golden vectors', () => {
  it('are what this version seals, byte by byte; a change of them is a change of the form', async () => {
    await expect(`${JSON.stringify(vectors, null, 2)}\n`).toMatchFileSnapshot(FILE.pathname);
  });

  it('hold, as records and as receipts, and their chain is whole', async () => {
    const { problems, receipts } = await verifyLines(
      linesOf([...vectors.receipts.map(({ jws }) => jws), ...vectors.verdicts]),
      keys,
      strict,
    );
    expect(problems).toEqual([]);
    const { heads } = auditChains(receipts.slice(0, vectors.receipts.length), [], false);
    expect(heads.map(({ log, shard, sequence, hash }) => `${log}/${shard}:${sequence}:${hash}`)).toEqual([
      vectors.head,
    ]);
  });

  it('have the hashes that the specification says', () => {
    for (const { jws, statement, hash, chain_hash: chainHash } of vectors.receipts) {
      const [header, payload] = jws.split('.');
      expect(Buffer.from(payload ?? '', 'base64url').toString('utf8')).toBe(statement);
      expect(hash).toBe(sha256(statement));
      expect(chainHash).toBe(sha256(`${header}.${payload}`));
    }
  });

  it.each(vectors.broken)('tell what is broken: $name', async ({ line, code }) => {
    const { problems } = await verifyLines(linesOf([line]), keys, strict);
    expect(problems.map(({ code }) => code)).toEqual([code]);
  });

  it('rotate in the middle', () => {
    expect(new Set(vectors.receipts.map(({ header }) => header.kid))).toEqual(
      new Set(new KeySet(vectorKeys).keys.map(({ record }) => record.kid)),
    );
  });
});
