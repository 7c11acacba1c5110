import { describe, expect, it } from 'vitest';
import { playRecords } from '../../../src/cli/contracts/play.ts';
import { type Case, caseSchema } from '../../../src/contracts/cases/format.ts';
import { runCase } from '../../../src/contracts/cases.ts';
import { loadContracts } from '../../../src/contracts/load.ts';

const contracts = loadContracts();

const SETTLED = {
  name: 'Settled',
  story: 'One good refund.',
  contract: 'stripe.refund.succeeded@1.0.0',
  safe: true,
  records: [
    { at: '+0s', start: 'op-1' },
    { at: '+1s', acted: 'op-1', refund: 're_1' },
    { at: '+3s', event: 'refund.created', refund: 're_1' },
    { at: '+30s', read: 'op-1', refund: 're_1' },
  ],
  until: '+10m',
  expect: { 'op-1': { verdict: 'VERIFIED' } },
};

const run = (change: Record<string, unknown>) => {
  const story: Case = caseSchema.parse({ ...SETTLED, ...change });
  return runCase({ file: 'settled.yaml', story }, contracts, playRecords);
};
const failuresOf = (expected: Record<string, unknown>): readonly string[] =>
  run({ expect: { 'op-1': { verdict: 'VERIFIED', ...expected } } }).failures;

describe('a case', () => {
  it('passes where all that it expects is so', () => {
    const all = {
      class: null,
      reason: 'all_conditions_hold',
      refund: 're_1',
      correlation: 'strong resource_id',
      escalated_to: null,
      unmet: [],
      contradicted: [],
      duplicates_dropped: 0,
      says: 'Every condition',
      revisions: ['PENDING', 'VERIFIED'],
    };
    expect(failuresOf(all)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['refund', { refund: 're_2' }],
    ['refund', { refund: null }],
    ['correlation', { correlation: 'weak fingerprint' }],
    ['escalated_to', { escalated_to: 'person' }],
    ['unmet', { unmet: ['refund_present'] }],
    ['contradicted', { contradicted: ['refund_amount_mismatch'] }],
    ['duplicates_dropped', { duplicates_dropped: 1 }],
    ['detail', { says: 'another thing' }],
    ['revisions', { revisions: ['VERIFIED'] }],
  ])('fails where it expects another %s', (member, expected) => {
    expect(failuresOf(expected)[0]).toMatch(new RegExp(`^op-1: ${member} was `));
  });

  it('fails where a record is refused that it does not say is refused', () => {
    const wrong = { 'op-1': { input: { amount: '1000' } } };
    const { failures } = run({ operations: wrong });
    expect(failures).toContain('refused was ["INPUT_INVALID"], should be []');
    expect(failures).toContainEqual(expect.stringContaining('records[0] INPUT_INVALID: input.amount: was "1000"'));
  });

  it('fails where no record is refused and it says that one is', () => {
    expect(run({ refused: ['INPUT_INVALID'] }).failures).toEqual(['refused was [], should be ["INPUT_INVALID"]']);
  });

  it('counts a good refund that it calls bad as false-safe, and a bad one that it calls good as false-block', () => {
    expect(run({ safe: false, expect: { 'op-1': { verdict: 'FAILED' } } })).toMatchObject({ falseSafe: 1 });
    expect(run({ records: SETTLED.records.slice(0, 3) })).toMatchObject({ falseBlock: 1, falseSafe: 0 });
  });

  it('may start an id again with another intent, and tells of every digit of a payment and an amount', () => {
    const outcome = run({
      payment: 'ch_890088186047892319',
      operations: { 'op-1': { amount: '9007199254740993', observe_from: '+1s' } },
      records: [...SETTLED.records, { at: '+40s', start: 'op-1', amount: 5 }],
      refused: ['OPERATION_CONFLICT'],
    });
    expect(outcome.failures).toEqual([]);
  });
});
