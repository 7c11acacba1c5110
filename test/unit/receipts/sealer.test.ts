import { describe, expect, it } from 'vitest';
import { EMPTY_CHAIN } from '../../../src/ports/receipt-sealer.ts';
import { KeySet, NO_RECEIPTS, openReceipt, verifyReceipt } from '../../../src/receipts/index.ts';
import { parseVerdictRecord } from '../../../src/records/index.ts';
import { sealerWith, T0, TestShard, testKey, verdictOf } from '../../support/receipts.ts';

const key = testKey('k1');
const keys = new KeySet([key]);

const opened = (jws: string) => {
  const read = openReceipt(jws);
  if (!read.ok) throw new Error(read.reason);
  return read.receipt;
};

describe('sealing', () => {
  it('seals a terminal verdict so that it verifies, and says in the record what it says in the receipt', async () => {
    const shard = new TestShard(sealerWith(key));
    const { records, jws } = await shard.publish([verdictOf('op-1', 1)]);
    const verified = await verifyReceipt(jws[0] ?? '', keys);
    expect(verified).toMatchObject({ ok: true, receipt: { verdict: verdictOf('op-1', 1), previous: null } });
    const receipt = opened(jws[0] ?? '');
    expect(records[0]?.receipt).toMatchObject({ form: 1, hash: receipt.hash, previous: null });
    expect(records[0]?.receipt?.chain).toEqual({ log: 'receipts', shard: 0, sequence: 1, previous: null });
    expect(parseVerdictRecord(records[0] as never)).toMatchObject({ ok: true });
  });

  it('seals from the first terminal verdict on: no PENDING before it, every revision after it', async () => {
    const shard = new TestShard(sealerWith(key));
    const { records, jws } = await shard.publish([
      verdictOf('op-1', 1, { verdict: 'PENDING' }),
      verdictOf('op-1', 2),
      verdictOf('op-1', 3, { verdict: 'PENDING', reason: 'withdrawn' }),
      verdictOf('op-1', 4, { verdict: 'PENDING', reason: 'awaiting_evidence' }),
    ]);
    expect(records.map(({ receipt }) => receipt?.previous?.revision ?? receipt?.previous)).toEqual([
      undefined,
      null,
      2,
      3,
    ]);
    expect(jws).toHaveLength(3);
  });

  it('links an operation to its last receipt over commits, and every receipt of the shard to the one before it', async () => {
    const shard = new TestShard(sealerWith(key));
    const first = await shard.publish([verdictOf('op-1', 1), verdictOf('op-2', 1)]);
    const second = await shard.publish([verdictOf('op-1', 2)]);
    const [a, b, c] = [...first.jws, ...second.jws].map(opened);
    expect(c?.previous).toEqual({ revision: 1, hash: a?.hash });
    expect(b?.header.chain).toEqual({ log: 'receipts', shard: 0, sequence: 2, previous: a?.chainHash });
    expect(c?.header.chain).toEqual({ log: 'receipts', shard: 0, sequence: 3, previous: b?.chainHash });
    expect(shard.head).toEqual({ sequence: 3, hash: c?.chainHash });
  });

  it('seals the same bytes again after a crash between commit and publication, also in another process', async () => {
    const owner = sealerWith(key);
    const shard = new TestShard(owner);
    const pending = shard.link([verdictOf('op-1', 1), verdictOf('op-2', 1)]);
    const once = await owner.seal(0, EMPTY_CHAIN, pending);
    expect(await owner.seal(0, EMPTY_CHAIN, pending)).toEqual(once);
    expect(await sealerWith(key).seal(0, EMPTY_CHAIN, pending)).toEqual(once);
  });

  it('keeps integers that no double holds', async () => {
    const shard = new TestShard(sealerWith(key));
    const input = { payment_id: 'p', amount: 9_007_199_254_740_993n };
    const { jws, records } = await shard.publish([verdictOf('op-1', 1, { input })]);
    expect(opened(jws[0] ?? '').verdict.input).toEqual(input);
    expect(records[0]?.input).toEqual(input);
  });

  it('seals with the key in force when the verdict was decided', async () => {
    const from = new Date(T0 + 90_000).toISOString();
    const [old, next] = [testKey('old', { not_after: from }), testKey('next', { not_before: from })];
    const shard = new TestShard(sealerWith(next, old));
    const { jws } = await shard.publish([verdictOf('op-1', 1), verdictOf('op-1', 2)]);
    expect(jws.map((each) => opened(each).header.kid)).toEqual(['old', 'next']);
  });

  it('does not seal with a revoked key, and says so where there is no other', async () => {
    const revoked = testKey('lost', { revoked_from: '2030-01-01T00:00:00Z' });
    const shard = new TestShard(sealerWith(revoked));
    await expect(shard.publish([verdictOf('op-1', 1)])).rejects.toMatchObject({
      code: 'RECEIPT_KEY_MISSING',
      retryable: true,
    });
    const { jws } = await new TestShard(sealerWith(revoked, key)).publish([verdictOf('op-1', 1)]);
    expect(opened(jws[0] ?? '').header.kid).toBe('k1');
  });

  it('publishes without a receipt where no keys are configured any more', async () => {
    const linked = new TestShard(sealerWith(key)).link([verdictOf('op-1', 1)]);
    const { verdicts, receipts, head } = await NO_RECEIPTS.seal(0, EMPTY_CHAIN, linked);
    expect(JSON.parse(verdicts[0]?.value ?? '')).toEqual(verdictOf('op-1', 1));
    expect([receipts, head]).toEqual([[], EMPTY_CHAIN]);
  });

  it('is not led astray by an intent that has a receipt of its own', async () => {
    const input = { receipt: { form: 1, jws: '' }, note: '","receipt":{"form":1' };
    const { jws, records } = await new TestShard(sealerWith(key)).publish([verdictOf('op-1', 1, { input })]);
    expect(records[0]?.input).toEqual(input);
    expect(await verifyReceipt(jws[0] ?? '', keys)).toMatchObject({ ok: true });
  });
});
