import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkReceiptKeys } from '../../../src/cli/doctor/receipt-checks.ts';
import { publicKeys } from '../../../src/receipts/index.ts';
import { T0, testKey } from '../../support/receipts.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-doctor-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const statuses = (keys: string | undefined): string[] => checkReceiptKeys(keys, T0).map(({ status }) => status);
const inline = (...keys: ReturnType<typeof testKey>[]): string => JSON.stringify({ keys });
const soon = new Date(T0 + 86_400_000).toISOString();

test.each([
  ['no keys at all', undefined, ['ok']],
  ['a key for ever', inline(testKey('a')), ['ok']],
  ['a key that ends, and none after it', inline(testKey('a', { not_after: soon })), ['ok', 'warn']],
  [
    'a key that ends, and the next',
    inline(testKey('a', { not_after: soon }), testKey('b', { not_before: soon })),
    ['ok'],
  ],
  ['a key that is not in force yet', inline(testKey('a', { not_before: soon })), ['fail']],
  ['a public key set', JSON.stringify(publicKeys([testKey('a')])), ['fail']],
  ['a path to nothing', join(folder, 'none.json'), ['fail']],
])('doctor judges the keys of receipts: %s', (_, keys, expected) => {
  expect(statuses(keys)).toEqual(expected);
});

test('doctor warns of a key file that others may read', () => {
  const path = join(folder, 'keys.json');
  writeFileSync(path, inline(testKey('a')), { mode: 0o644 });
  expect(statuses(path)).toEqual(['ok', 'warn']);
});
