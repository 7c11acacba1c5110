import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Json, VerdictRecord } from '../../src/evaluator/index.ts';
import { type KeyRecord, openReceipt, statementText } from '../../src/receipts/index.ts';
import { canonicalText } from '../../src/records/canonical-text.ts';
import { parseJsonText, printJson } from '../../src/records/json-text.ts';
import { sealerWith, TestShard, verdictOf } from './receipts.ts';

/** PKCS #8 before the 32 bytes of an Ed25519 key. */
const PKCS8 = '302e020100300506032b657004220420';

/** Test keys of RFC 8032, section 7.1: everybody knows them. */
const SEEDS = {
  'test-key-1': '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'test-key-2': '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
};

const keyOf = (kid: keyof typeof SEEDS, more: Partial<KeyRecord>): KeyRecord => {
  const der = Buffer.from(PKCS8 + SEEDS[kid], 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, d: Buffer.from(SEEDS[kid], 'hex').toString('base64url'), kid, ...more };
};

const ROTATED_AT = '2026-09-01T12:02:30Z';
export const vectorKeys: readonly KeyRecord[] = [
  keyOf('test-key-1', { not_after: ROTATED_AT }),
  keyOf('test-key-2', { not_before: ROTATED_AT }),
];

const CANONICAL = [
  '{"\\u20ac":"Euro","\\r":"CR","\\ufb33":"dalet","1":"one","\\ud83d\\ude00":"grin","\\u0080":"\\u000f"}',
  '[333333333.333333,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1e21,1e20,9007199254740993,-12345678901234567890]',
  '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization","sin":"ignores locale"}',
  '["\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",null,true,false,{},[]]',
];

const verdicts = (): VerdictRecord[] => [
  verdictOf('op-1', 1, { verdict: 'PENDING', reason: 'awaiting_evidence', money_moved: null }),
  verdictOf('op-1', 2, {
    detail: 'Erstattet: 10,00 € – “ok” \u2028',
    input: { amount: 9_007_199_254_740_993n, rate: 1e-7 },
  }),
  verdictOf('op-2', 1, { verdict: 'UNVERIFIABLE', reason: 'evidence_unavailable_before_timeout', money_moved: null }),
  verdictOf('op-1', 3, { verdict: 'PENDING', reason: 'withdrawn', money_moved: null }),
  verdictOf('op-1', 4, { verdict: 'FAILED', reason: 'provider_holds_no_refund', money_moved: false }),
];

/** What is wrong with a line, beside the whole chain. */
const broken = (records: readonly VerdictRecord[], jws: readonly string[]) => {
  const record = records[1] as VerdictRecord;
  const [first = '', , , last = ''] = jws;
  const [header = '', payload = '', signature = ''] = first.split('.');
  const endsOtherwise = `${first.slice(0, -1)}${String.fromCharCode(first.charCodeAt(first.length - 1) + 1)}`;
  return [
    {
      name: 'a verdict was changed',
      line: printJson({ ...record, verdict: 'FAILED' } as never),
      code: 'RECEIPT_ALTERED',
    },
    {
      name: 'a link beside the receipt was changed',
      line: printJson({ ...record, receipt: { ...record.receipt, hash: 'A'.repeat(43) } } as never),
      code: 'RECEIPT_ALTERED',
    },
    {
      name: 'a receipt was taken away',
      line: printJson({ ...record, receipt: null } as never),
      code: 'RECEIPT_MISSING',
    },
    {
      name: 'the signature is another receipt’s',
      line: `${header}.${payload}.${last.split('.')[2] ?? ''}`,
      code: 'RECEIPT_SIGNATURE_INVALID',
    },
    {
      name: 'the same signature, spelled otherwise: an unused bit is set',
      line: endsOtherwise,
      code: 'RECEIPT_SIGNATURE_INVALID',
    },
    {
      name: 'the header says none',
      line: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.${signature}`,
      code: 'RECEIPT_MALFORMED',
    },
    { name: 'the revision before it is missing', line: last, code: 'RECEIPT_REVISION_MISSING' },
  ];
};

/** Everything that `docs/reference/receipts-vectors.json` holds. */
export const receiptVectors = async () => {
  const shard = new TestShard(sealerWith(...vectorKeys));
  const [first = [], second = []] = [verdicts().slice(0, 3), verdicts().slice(3)];
  const published = [await shard.publish(first), await shard.publish(second)];
  const records = published.flatMap((one) => one.records);
  const jws = published.flatMap((one) => one.jws);
  return {
    note: 'Test vectors for docs/reference/receipts.md. The keys are the test keys of RFC 8032: never seal anything with them.',
    private_keys: { keys: vectorKeys },
    public_keys: { keys: vectorKeys.map(({ d: _, ...rest }) => ({ ...rest, alg: 'EdDSA', use: 'sig' })) },
    canonical: CANONICAL.map((json) => ({ json, canonical: canonicalText(parseJsonText(json) as Json) })),
    verdicts: records.map((record) => printJson(record as never)),
    receipts: jws.map((one) => {
      const opened = openReceipt(one);
      if (!opened.ok) throw new Error(opened.reason);
      const { hash, chainHash, header, previous, verdict } = opened.receipt;
      return { jws: one, header, statement: statementText(verdict, previous), hash, chain_hash: chainHash };
    }),
    head: `receipts/0:${shard.head.sequence}:${shard.head.hash}`,
    broken: broken(records, jws),
  };
};
