import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { playRecords } from '../../../src/cli/contracts/play.ts';
import { shipped } from '../../support/contracts.ts';

it('the record log of the reference ends VERIFIED, as it says', () => {
  const page = readFileSync('docs/reference/records.md', 'utf8');
  const lines = (/```jsonl\n([\s\S]*?)```/.exec(page)?.[1] ?? '').trim().split('\n');
  const { verdicts, refusals } = playRecords(
    lines.map((line) => JSON.parse(line)),
    '2026-09-01T13:00:00Z',
    shipped,
  );
  expect(refusals).toEqual([]);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['PENDING', 'VERIFIED']);
});
