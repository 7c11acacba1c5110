import { describe, expect, it } from 'vitest';
import { auditChains, type NamedHead, openReceipt } from '../../../src/receipts/index.ts';
import { linesOf, sealerWith, TestShard, testKey, verdictOf } from '../../support/receipts.ts';

const key = testKey('k1');

/** Seals a first revision of each operation, in order. */
const chainOf = async (...operations: string[]): Promise<string[]> =>
  (await new TestShard(sealerWith(key)).publish(operations.map((operation) => verdictOf(operation, 1)))).jws;

const audit = (jws: readonly string[], { known = [] as NamedHead[], isPartial = false } = {}) => {
  const placed = linesOf(jws).map(({ at, text }) => {
    const opened = openReceipt(text);
    if (!opened.ok) throw new Error(opened.reason);
    return { at, receipt: opened.receipt };
  });
  const { problems, heads } = auditChains(placed, known, isPartial);
  return { found: problems.map(({ code, at }) => [code, at]), problems, heads };
};

describe('the audit of a chain', () => {
  it('finds a whole chain whole, and tells its head', async () => {
    const jws = await chainOf('a', 'b', 'c');
    const { found, heads } = audit(jws);
    expect(found).toEqual([]);
    expect(heads).toMatchObject([{ log: 'receipts', shard: 0, sequence: 3 }]);
    expect(audit(jws, { known: [...heads] }).found).toEqual([]);
  });

  it('holds every head of a chain against it, and a part of a log against the nearest head before it', async () => {
    const jws = await chainOf('a', 'b', 'c', 'd');
    const headAt = (count: number): NamedHead[] => [...audit(jws.slice(0, count)).heads];
    const both = [...headAt(1), ...headAt(4)];
    expect(audit(jws, { known: both }).found).toEqual([]);
    expect(audit(jws.slice(0, 3), { known: both }).found.map(([code]) => code)).toEqual(['CHAIN_REMOVED']);
    const rest = { known: [...headAt(1), ...headAt(2)], isPartial: true };
    expect(audit(jws.slice(2), rest).found).toEqual([]);
    expect(audit(jws.slice(3), rest).found.map(([code]) => code)).toEqual(['CHAIN_REMOVED']);
    const wrong = headAt(2).map((head) => ({ ...head, hash: 'another' }));
    expect(audit(jws.slice(2), { known: wrong, isPartial: true }).found.map(([code]) => code)).toEqual([
      'CHAIN_FORKED',
    ]);
  });

  it('tells what was removed, at the beginning, in the middle, and at the end against an earlier head', async () => {
    const jws = await chainOf('a', 'b', 'c', 'd');
    const { heads } = audit(jws);
    const { problems } = audit([jws[0] ?? '', jws[3] ?? '']);
    expect(problems).toMatchObject([
      { code: 'CHAIN_REMOVED', at: 'log:2', detail: 'receipts/0: sequences 2 to 3 are missing before it' },
    ]);
    expect(audit(jws.slice(1)).found).toEqual([['CHAIN_REMOVED', 'log:1']]);
    expect(audit(jws.slice(1), { isPartial: true }).found).toEqual([]);
    expect(audit(jws.slice(0, 2)).found).toEqual([]);
    expect(audit(jws.slice(0, 2), { known: [...heads] }).problems).toMatchObject([
      { code: 'CHAIN_REMOVED', detail: 'receipts/0 ends at sequence 2, and an earlier audit saw 4' },
    ]);
    expect(audit([], { known: [...heads] }).found).toEqual([['CHAIN_REMOVED', '-']]);
  });

  it('tells one that was put in, from the one that the next receipt names', async () => {
    const [jws, other] = [await chainOf('a', 'b', 'c'), await chainOf('x', 'y', 'z')];
    const put = jws.toSpliced(1, 0, other[1] ?? '');
    expect(audit(put).found).toEqual([['CHAIN_INSERTED', 'log:2']]);
    expect(audit(jws.toSpliced(2, 0, other[1] ?? '')).found).toEqual([['CHAIN_INSERTED', 'log:3']]);
  });

  it('tells one that was exchanged', async () => {
    const [jws, other] = [await chainOf('a', 'b', 'c', 'd'), await chainOf('w', 'x', 'y', 'z')];
    const exchanged = jws.with(1, other[1] ?? '');
    expect(audit(exchanged).found.map(([code]) => code)).toEqual(['CHAIN_FORKED', 'CHAIN_INSERTED']);
  });

  it('tells a fork, where both of two receipts could go on', async () => {
    const [jws, other] = [await chainOf('a', 'b'), await chainOf('a', 'c')];
    expect(audit([...jws, other[1] ?? '']).found).toEqual([['CHAIN_FORKED', 'log:3']]);
    const { heads } = audit(other);
    expect(audit(jws, { known: [...heads] }).problems).toMatchObject([
      { code: 'CHAIN_FORKED', detail: 'receipts/0: sequence 2 was another receipt at an earlier audit' },
    ]);
  });

  it('tells what stands out of its order, and what stands there twice', async () => {
    const jws = await chainOf('a', 'b', 'c');
    expect(audit([jws[0] ?? '', jws[2] ?? '', jws[1] ?? '']).found).toEqual([['CHAIN_REORDERED', 'log:3']]);
    expect(audit([...jws, jws[0] ?? '']).found).toEqual([['CHAIN_DOUBLED', 'log:4']]);
  });

  it('tells a verdict that was sealed twice, at two places of the chain', async () => {
    const shard = new TestShard(sealerWith(key));
    const sealer = sealerWith(key);
    const pending = shard.link([verdictOf('a', 1)]);
    const first = await sealer.seal(0, { sequence: 0, hash: null }, pending);
    const second = await sealer.seal(0, first.head, pending);
    const jws = [...first.receipts, ...second.receipts].map((receipt) => receipt.jws);
    expect(audit(jws).problems).toMatchObject([
      { code: 'CHAIN_DOUBLED', at: 'log:2', detail: 'receipts/0: it seals what sequence 1 sealed already (log:1)' },
    ]);
  });

  it('keeps the chains of several shards apart', async () => {
    const sealer = sealerWith(key);
    const pending = new TestShard(sealer).link([verdictOf('a', 1), verdictOf('b', 1)]);
    const [zero, one] = [
      await sealer.seal(0, { sequence: 0, hash: null }, pending.slice(0, 1)),
      await sealer.seal(1, { sequence: 0, hash: null }, pending.slice(1)),
    ];
    const { found, heads } = audit([...zero.receipts, ...one.receipts].map(({ jws }) => jws));
    expect(found).toEqual([]);
    expect(heads).toMatchObject([
      { shard: 0, sequence: 1 },
      { shard: 1, sequence: 1 },
    ]);
  });
});
