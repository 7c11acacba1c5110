import { describe, expect, it } from 'vitest';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import { KeySet, verifyLines } from '../../../src/receipts/index.ts';
import { linesOf, sealerWith, T0, TestShard, testKey, verdictOf } from '../../support/receipts.ts';

const key = testKey('k1');
const keys = new KeySet([key]);
const strict = { isPartial: false, allowsUnsealed: false };

const sealedRun = async (signer = key) => {
  const shard = new TestShard(sealerWith(signer));
  const { records, jws } = await shard.publish([
    verdictOf('op-1', 1, { verdict: 'PENDING' }),
    verdictOf('op-1', 2),
    verdictOf('op-2', 1, { verdict: 'UNVERIFIABLE' }),
    verdictOf('op-1', 3, { verdict: 'CONTRADICTED', class: 'duplicate_side_effect' }),
  ]);
  return { records, jws, lines: records.map((record) => JSON.stringify(record)) };
};

const verify = async (texts: readonly string[], options = strict, set = keys) => {
  const { problems, ...rest } = await verifyLines(linesOf(texts), set, options);
  return { ...rest, problems, codes: problems.map(({ code }) => code) };
};

const altered = (line: string | undefined, change: (record: VerdictRecord) => object): string => {
  const record = JSON.parse(line ?? '') as VerdictRecord;
  return JSON.stringify({ ...record, ...change(record) });
};

describe('verifying receipts', () => {
  it('finds nothing wrong with verdict records, exports, log lines and both together', async () => {
    const { lines, jws } = await sealedRun();
    expect(await verify(lines)).toMatchObject({ codes: [], read: 4, unsealed: 1 });
    expect(await verify(jws)).toMatchObject({ codes: [], read: 3, unsealed: 0 });
    const logged = [
      ...lines.map((line) => `{"topic":"verdicts","value":${line}}`),
      ...jws.map((one) => JSON.stringify({ topic: 'receipts', value: one })),
      ...jws.map((one) => JSON.stringify({ jws: one })),
      ...jws.map((one) => {
        const [header, payload, signature] = one.split('.');
        return JSON.stringify({ payload, protected: header, signature });
      }),
      '{"topic":"webhook-received","value":{"kind":"webhook.received"}}',
    ];
    const { codes, receipts } = await verify(logged);
    expect(codes).toEqual([]);
    expect(receipts).toHaveLength(12);
  });

  it('tells a record that lost its receipt, also one that says it is PENDING or may be unsealed', async () => {
    const { lines, jws } = await sealedRun();
    const stripped = altered(lines[3], () => ({ verdict: 'PENDING', class: null, receipt: null }));
    expect((await verify([stripped, ...jws])).codes).toEqual(['RECEIPT_ALTERED']);
    expect((await verify([...lines.slice(0, 3), stripped])).codes).toEqual(['RECEIPT_MISSING']);
    const lax = { isPartial: false, allowsUnsealed: true };
    const forged = altered(lines[1], () => ({ verdict: 'FAILED', receipt: null }));
    expect((await verify([forged, ...jws], lax)).codes).toEqual(['RECEIPT_ALTERED']);
    expect((await verify(lines, lax)).codes).toEqual([]);
  });

  it('keeps a receipt of a revoked key in its chain', async () => {
    const { jws } = await sealedRun();
    const revoked = new KeySet([{ ...key, revoked_from: '2020-01-01T00:00:00Z' }]);
    expect(new Set((await verify(jws, strict, revoked)).codes)).toEqual(new Set(['RECEIPT_KEY_REVOKED']));
    expect((await verify(jws, strict, revoked)).receipts).toHaveLength(3);
  });

  it('names the field that was altered, where the sealed receipt is there too', async () => {
    const { lines, jws } = await sealedRun();
    const wrong = altered(lines[1], ({ refund }) => ({ refund: { ...refund, amount: '100.00' }, money_moved: false }));
    const { problems } = await verify([wrong, ...jws]);
    expect(problems).toEqual([
      {
        code: 'RECEIPT_ALTERED',
        at: 'log:1',
        verdictId: verdictOf('op-1', 2).verdict_id,
        detail: 'refund.amount, money_moved: not what was sealed (log:2)',
      },
    ]);
  });

  it('does not pass over a record whose kind was changed or is gone', async () => {
    const { lines, jws } = await sealedRun();
    for (const kind of ['operation.started', 'handoff.decided', 'x', undefined]) {
      const hidden = altered(lines[1], () => ({ kind }));
      const { problems } = await verify([hidden, ...jws]);
      expect(problems).toMatchObject([{ code: 'RECEIPT_ALTERED', detail: expect.stringContaining('kind') }]);
      expect((await verify([lines[0] ?? '', hidden])).codes).toEqual(['RECEIPT_ALTERED']);
      const stripped = altered(lines[1], () => ({ kind, receipt: null }));
      expect((await verify([stripped])).codes).toEqual(['RECEIPT_MISSING']);
    }
    const inLogLine = altered(lines[1], () => ({ kind: undefined, value: { kind: 'webhook.received' } }));
    expect((await verify([inLogLine, ...jws])).codes).toEqual(['RECEIPT_ALTERED']);
  });

  it('judges a record by itself, whatever receipt stands beside it', async () => {
    const { lines, jws } = await sealedRun();
    const [header, payload, signature] = (jws[0] ?? '').split('.');
    for (const beside of [{ jws: jws[0] }, { protected: header, payload, signature }]) {
      const changed = altered(lines[1], () => ({ verdict: 'FAILED', ...beside }));
      expect((await verify([changed, ...jws])).codes).toEqual(['RECEIPT_ALTERED']);
    }
  });

  it('passes over records of other kinds', async () => {
    const { lines } = await sealedRun();
    const others = ['{"kind":"handoff.decided","plan":null}', '{"kind":"charge.receipt","receipt":"a.b.c"}'];
    expect(await verify([...lines, ...others])).toMatchObject({ codes: [], read: 4 });
  });

  it('says that a record was altered, where only its hash can tell', async () => {
    const { lines } = await sealedRun();
    const wrong = altered(lines[1], () => ({ verdict: 'FAILED' }));
    const { codes } = await verify([wrong], { ...strict, isPartial: true });
    expect(codes).toEqual(['RECEIPT_ALTERED']);
  });

  it.each([
    ['hash', (r: Record<string, unknown>) => ({ ...r, hash: 'A'.repeat(43) })],
    ['chain.sequence', (r: Record<string, unknown>) => ({ ...r, chain: { ...(r['chain'] as object), sequence: 9 } })],
    ['chain.log', (r: Record<string, unknown>) => ({ ...r, chain: { ...(r['chain'] as object), log: 'other' } })],
  ])('names a link that is not the signed one: receipt.%s', async (field, change) => {
    const { lines } = await sealedRun();
    const wrong = altered(lines[1], ({ receipt }) => ({ receipt: change(receipt as never) }));
    const { problems } = await verify([wrong]);
    expect(problems).toMatchObject([{ code: 'RECEIPT_ALTERED', detail: expect.stringContaining(`receipt.${field} `) }]);
  });

  it('tells a bad signature', async () => {
    const { jws, lines } = await sealedRun();
    const signature = jws[1]?.split('.')[2] ?? '';
    const forged = `${jws[0]?.split('.').slice(0, 2).join('.')}.${signature}`;
    expect((await verify([forged])).codes).toEqual(['RECEIPT_SIGNATURE_INVALID']);
    const detached = altered(lines[1], ({ receipt }) => ({
      receipt: { ...receipt, jws: `${receipt?.jws.split('.')[0]}..${signature}` },
    }));
    expect((await verify([detached])).codes).toEqual(['RECEIPT_SIGNATURE_INVALID']);
    expect((await verify([detached, ...jws])).codes).toEqual(['RECEIPT_SIGNATURE_INVALID']);
  });

  it('tells a key that is not in the set, also behind the same key id', async () => {
    const { jws } = await sealedRun();
    expect((await verify(jws, strict, new KeySet([testKey('k2')]))).codes).toEqual(
      Array(3).fill('RECEIPT_KEY_UNKNOWN'),
    );
    expect((await verify(jws, strict, new KeySet([testKey('k1')]))).codes).toEqual(
      Array(3).fill('RECEIPT_SIGNATURE_INVALID'),
    );
  });

  it('tells a key that was not in force when the verdict was decided, and keeps old receipts good after a rotation', async () => {
    const { jws } = await sealedRun();
    const at = (minutes: number): string => new Date(T0 + minutes * 60_000).toISOString();
    const rotated = new KeySet([{ ...key, not_after: at(4) }, testKey('k2', { not_before: at(4) })]);
    expect((await verify(jws, strict, rotated)).codes).toEqual([]);
    const early = new KeySet([{ ...key, not_after: at(3) }]);
    expect((await verify(jws, { ...strict, isPartial: true }, early)).problems).toMatchObject([
      { code: 'RECEIPT_KEY_NOT_VALID', at: 'log:3' },
    ]);
    const late = new KeySet([{ ...key, not_before: at(2) }]);
    expect((await verify(jws, strict, late)).problems).toMatchObject([{ code: 'RECEIPT_KEY_NOT_VALID', at: 'log:2' }]);
  });

  it('fails what is decided at or after the instant from which a key is revoked', async () => {
    const { jws } = await sealedRun();
    const revoked = new KeySet([{ ...key, revoked_from: new Date(T0 + 2 * 60_000).toISOString() }]);
    const { problems } = await verify(jws, strict, revoked);
    expect(problems.map(({ code, at }) => [code, at])).toEqual([
      ['RECEIPT_KEY_REVOKED', 'log:1'],
      ['RECEIPT_KEY_REVOKED', 'log:3'],
    ]);
  });

  it('tells a revision that is missing, and takes a part where it is told that it is one', async () => {
    const { jws } = await sealedRun();
    const { problems } = await verify(jws.slice(1));
    expect(problems).toMatchObject([
      { code: 'RECEIPT_REVISION_MISSING', detail: expect.stringContaining('revision 2') },
    ]);
    expect((await verify(jws.slice(1), { ...strict, isPartial: true })).codes).toEqual([]);
  });

  it('tells two histories of one operation', async () => {
    const [one, other] = [await sealedRun(), new TestShard(sealerWith(key))];
    const { jws } = await other.publish([verdictOf('op-1', 2, { verdict: 'FAILED' })]);
    expect((await verify([...one.jws, ...jws])).codes).toEqual(['RECEIPT_CHAIN_BROKEN']);
    const { jws: later } = await other.publish([verdictOf('op-1', 3, { verdict: 'FAILED' })]);
    const mixed = [one.jws[0] ?? '', later[0] ?? ''];
    expect((await verify(mixed)).problems).toMatchObject([
      { code: 'RECEIPT_CHAIN_BROKEN', detail: expect.stringContaining('the one at hand has another') },
    ]);
    const { jws: first } = await new TestShard(sealerWith(key)).publish([verdictOf('op-1', 4)]);
    expect((await verify([...one.jws, ...first])).problems).toMatchObject([
      { code: 'RECEIPT_CHAIN_BROKEN', detail: expect.stringContaining('says it is the operation’s first') },
    ]);
  });

  it('misses the receipt of a terminal verdict that has none, unless it may', async () => {
    const plain = JSON.stringify(verdictOf('op-9', 1));
    expect((await verify([plain])).codes).toEqual(['RECEIPT_MISSING']);
    expect((await verify([plain], { ...strict, allowsUnsealed: true })).codes).toEqual([]);
  });

  it.each([
    ['nothing that is known', 'hello'],
    ['JSON of another kind', '{"kind":"verdicu"}'],
    ['a list', '[1]'],
    ['JSON that is cut off', '{"kind":"verdict"'],
    ['a verdict record that lacks a field', '{"kind":"verdict","verdict_id":"v"}'],
  ])('says that a line is %s', async (_, text) => {
    expect((await verify([text])).codes).toEqual(['RECEIPT_MALFORMED']);
  });

  it('takes no other algorithm than the one of the form, whatever the header says', async () => {
    const { jws } = await sealedRun();
    const [, payload = '', signature = ''] = jws[0]?.split('.') ?? [];
    for (const alg of ['none', 'HS256', 'ES256']) {
      const header = JSON.parse(Buffer.from(jws[0]?.split('.')[0] ?? '', 'base64url').toString()) as object;
      const forged = Buffer.from(JSON.stringify({ ...header, alg })).toString('base64url');
      expect((await verify([`${forged}.${payload}.${signature}`])).codes).toEqual(['RECEIPT_MALFORMED']);
    }
  });
});
