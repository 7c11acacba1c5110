import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/errors.ts';

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (yes|no) \| (.+) \| (.+) \|$/gm)];

test('docs/reference/errors.md lists the codes of src/errors.ts, in their order, and whether they are retried', () => {
  const documented = rows.map(([, code, retryable]) => [code, retryable === 'yes']);
  expect(documented).toEqual(Object.entries(ERROR_CODES).map(([code, { retryable }]) => [code, retryable]));
});

test('each code says what it means and what to do', () => {
  for (const [, code, , meaning, remedy] of rows) {
    expect(meaning?.length, code).toBeGreaterThan(20);
    expect(remedy?.length, code).toBeGreaterThan(5);
  }
});
