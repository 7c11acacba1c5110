import { expect, test } from 'vitest';
import { digestPending, digestVerdict, printedRecord } from '../../../src/consumers/verdict-digest.ts';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import { printJson } from '../../../src/records/json-text.ts';

const record = (changes: object = {}): string =>
  printJson({
    kind: 'verdict',
    schema: 1,
    verdict_id: 'square:m:p/op-1:2',
    operation_id: 'op-1',
    provider: 'square',
    input: { verdict: 'mine', reason: 'gift', decided_at: 'then', provider: 'me', amount: 12345678901234567890n },
    verdict: 'CONTRADICTED',
    class: 'duplicate_side_effect',
    reason: 'refunded_twice',
    detail: 'prose with "verdict":"VERIFIED","class":null,"reason":"no" in it',
    findings: [{ code: 'unclaimed_refund' }],
    decided_at: '2026-09-01T12:00:00.000Z',
    supersedes: null,
    ...changes,
  } as never);

test('takes from a printed verdict what headers and metrics tell, whatever the caller wrote into its input', () => {
  expect(digestVerdict(record())).toEqual({
    id: 'square:m:p/op-1:2',
    provider: 'square',
    verdict: 'CONTRADICTED',
    class: 'duplicate_side_effect',
    reason: 'refunded_twice',
    decidedAt: '2026-09-01T12:00:00.000Z',
  });
  expect(digestVerdict(record({ verdict: 'PENDING', class: null, reason: 'awaiting_evidence' }))).toMatchObject({
    verdict: 'PENDING',
    class: null,
    reason: 'awaiting_evidence',
  });
});

test('leaves out an id that it would have to unescape', () => {
  expect(digestVerdict(record({ verdict_id: 'square:m:p/op "1":2' })).id).toBeNull();
});

test('says unknown of what is no verdict', () => {
  expect(digestVerdict('{}')).toEqual({
    id: null,
    provider: null,
    verdict: 'unknown',
    class: null,
    reason: 'unknown',
    decidedAt: null,
  });
});

test('tells the same from the record as from its text, an id with a quote in it included', () => {
  for (const changes of [{}, { class: null, verdict: 'PENDING' }, { verdict_id: 'square:m:p/op "1":2' }]) {
    const text = record(changes);
    const printed = { text, record: JSON.parse(text) as VerdictRecord };
    expect(digestPending({ value: text, printed })).toEqual(digestVerdict(text));
  }
});

test('goes by the text where it has been replaced since it was printed', () => {
  const printed = { text: record(), record: JSON.parse(record()) as VerdictRecord };
  const value = record({ reason: 'withdrawn' });
  expect(printedRecord({ value, printed })).toBeNull();
  expect(printedRecord({ value })).toBeNull();
  expect(digestPending({ value, printed }).reason).toBe('withdrawn');
});
