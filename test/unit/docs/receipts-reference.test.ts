import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECEIPT_PROBLEMS } from '../../../src/receipts/index.ts';

const page = readFileSync(new URL('../../../docs/reference/receipts.md', import.meta.url), 'utf8');

test('docs/reference/receipts.md lists every code of what can be wrong, in order', () => {
  const documented = [...page.matchAll(/^\| `((?:RECEIPT|CHAIN)_[A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(documented).toEqual(RECEIPT_PROBLEMS);
});
