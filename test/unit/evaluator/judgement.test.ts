import { describe, expect, it } from 'vitest';
import {
  type Contract,
  describeJudgement,
  emptyPayment,
  type Json,
  type Observation,
  reducePayment,
} from '../../../src/evaluator/index.ts';
import { assertTimePasses } from '../../../src/evaluator/reduce.ts';
import { shipped } from '../../support/contracts.ts';
import { CHANNELS, condition, SMALL, type SmallGiven, smallSet } from '../../support/small-contract.ts';
import { acted, actionFailed, at, event, list, PAYPAL, play, read, refundFacts, started } from '../../support/story.ts';

const START = started('op-1', 0, SMALL);
const BOUND = [START, acted('op-1', 1, 'R1')];
const READ = [...BOUND, read('op-1', 30, 'R1', { created: 1 })];
const COMPLETED = condition({ path: '$observed.refund_readback.status', operator: 'eq', expected: 'COMPLETED' });

const judged = (given: SmallGiven, log: readonly Observation[] = READ, until = 1000) =>
  play(smallSet({ verified: [COMPLETED], ...given }), log, until).last();

const channel = (name: string, rest: object): Contract['channels'] =>
  ({ [name]: { ...CHANNELS[name], ...rest } }) as Contract['channels'];

describe('the evidence minimum', () => {
  const asked = (
    evidence: SmallGiven['evidence'],
    channels: Contract['channels'],
    log: readonly Observation[] = READ,
  ) => judged({ ...(evidence === undefined ? {} : { evidence }), channels }, log);

  it('is met by a channel that has spoken', () => {
    expect(asked({ minimum_channels: 1 }, CHANNELS).verdict).toBe('VERIFIED');
  });

  it('counts every kind of channel that has spoken', () => {
    const log = [...READ, event('R1', 4, { created: 1 }), list('op-1', 40, [refundFacts('R1', 1, {})])];
    expect(asked({ minimum_channels: 4 }, CHANNELS, log).verdict).toBe('VERIFIED');
    expect(asked({ minimum_channels: 4 }, CHANNELS, log.slice(0, -1)).verdict).toBe('PENDING');
  });

  it('is not met by a channel below the level, and the verdict says so', () => {
    const channels = channel('refund_readback', { level: 'E1' });
    expect(asked({ minimum_channels: 1 }, channels).verdict).toBe('PENDING');
    const low = judged({ evidence: { minimum_channels: 1 }, channels }, READ, 3600);
    expect(low.detail).toContain('below the minimum');
  });

  it("is not met by the action's own channel where independence is asked for", () => {
    const own = channel('refund_readback', { independence: 'action' });
    expect(asked({ minimum_channels: 1 }, own).verdict).toBe('PENDING');
    expect(asked({ minimum_channels: 1, independent_channel_required: false }, own).verdict).toBe('VERIFIED');
  });
});

describe('correlation', () => {
  const strategy = (name: 'resource_id' | 'idempotency_key', required: boolean): Contract['correlation'] => ({
    strategies: [{ strategy: name, assurance: 'strong', keys: { key: '$operation.idempotency_key' }, required }],
  });

  it('by another strategy than the required one does not verify', () => {
    const missing = judged({ correlation: strategy('idempotency_key', true) });
    expect(missing.verdict).toBe('PENDING');
    expect(missing.detail).toContain('no refund is bound to the operation by a strong key');
    expect(judged({ correlation: strategy('resource_id', true) }).verdict).toBe('VERIFIED');
    expect(judged({ correlation: strategy('idempotency_key', false) }).verdict).toBe('VERIFIED');
  });

  it('that a contract does not ask for lets it verify without a refund', () => {
    const verified = [condition({ path: '$operation.id', operator: 'eq', expected: 'op-1' })];
    const verdict = judged({ verified }, [START], 5);
    expect(verdict).toMatchObject({ verdict: 'VERIFIED', refund: null, money_moved: null, correlation: null });
    expect(verdict.detail).toBe('Every condition of test.refund 1.0.0 holds.');
  });

  it('that a contract asks for is told as missing', () => {
    const verified = [condition({ path: '$operation.id', operator: 'eq', expected: 'op-1' })];
    const correlation: Contract['correlation'] = { strategies: [], required_assurance: 'strong' };
    expect(judged({ verified, correlation }, [START], 5).verdict).toBe('PENDING');
    expect(judged({ correlation }).verdict).toBe('VERIFIED');
  });
});

describe('what was proven', () => {
  it('names the refund, its money and its status', () => {
    expect(judged({}).detail).toBe(
      'Every condition of test.refund 1.0.0 holds for the refund R1 of 10.00 USD, which the provider states as COMPLETED.',
    );
  });

  it('says what the provider does not state', () => {
    const verified = [condition({ path: '$bound.refund_id', operator: 'eq', expected: 'R1' })];
    const silent = { ...refundFacts('R1', 1, { amount: null }), status: null, state: 'unknown' as const };
    const log = [...BOUND.slice(0, 1), { ...acted('op-1', 1, 'R1'), facts: silent }];
    expect(judged({ verified }, log).detail).toContain(
      'of an amount not stated, which the provider states as not stated',
    );
    const noCurrency = { ...acted('op-1', 1, 'R1'), facts: refundFacts('R1', 1, { currency: null }) };
    expect(judged({ verified }, [START, noCurrency]).detail).toContain('the refund R1 of 10.00, which');
  });

  it('is no money under a contract that does not prove money', () => {
    expect(judged({}).money_moved).toBe(true);
    expect(judged({ proves_money: false })).toMatchObject({ verdict: 'VERIFIED', money_moved: null });
  });
});

describe('what is awaited', () => {
  it('is told in words, or by its code where there are none', () => {
    const verified = [
      COMPLETED,
      condition({ path: '$observed.elsewhere.x', operator: 'eq', expected: 1 }, 'other'),
      condition({ path: '$operation.id', operator: 'eq', expected: 'op-2' }, 'wrong'),
    ];
    const { detail } = judged({ verified }, BOUND, 3600);
    expect(detail).toBe(
      'awaiting_evidence: Waiting for evidence: it_holds: not read yet; other: channel_undeclared; wrong does not hold.',
    );
  });

  it('is the refund, and not a read, where none is bound', () => {
    const listed = condition({ path: '$observed.payment_readback.count', operator: 'eq', expected: 1 }, 'listed');
    expect(judged({ verified: [COMPLETED, listed] }, [START]).detail).toBe(
      'Waiting for evidence: it_holds: no refund is bound; listed: not read yet.',
    );
  });

  it('holds VERIFIED back while a contradiction is unknown', () => {
    const rule = { name: 'it_is_wrong', class: 'wrong_amount', reason: 'Wrong.', path: '$action.result.x' } as const;
    const unknown = { ...rule, operator: 'eq', expected: 1 } as const;
    expect(judged({ contradicted: [unknown] }).verdict).toBe('PENDING');
    expect(judged({ contradicted: [{ ...unknown, when_unknown: 'pass' }] }).verdict).toBe('VERIFIED');
    const otherType = { ...rule, path: '$operation.id', operator: 'eq', expected: 1, when_unknown: 'pass' } as const;
    expect(judged({ contradicted: [otherType] }, READ, 3600)).toMatchObject({
      verdict: 'UNVERIFIABLE',
      detail: 'awaiting_evidence: Waiting for evidence: it_is_wrong: of another type than expected.',
    });
  });
});

describe('a state rule', () => {
  const state = (rest: object): Contract['states'] =>
    [
      {
        name: 'state_seen',
        match: { path: '$observed.refund_readback.status', operator: 'eq', expected: 'COMPLETED' },
        reason: 'The state was seen.',
        ...rest,
      },
    ] as unknown as Contract['states'];

  it.each<[object, object]>([
    [{ verdict: 'CONTRADICTED' }, { verdict: 'CONTRADICTED', class: 'rejected', advice: 'ask_person' }],
    [
      { verdict: 'CONTRADICTED', class: 'wrong_subject' },
      { verdict: 'CONTRADICTED', class: 'wrong_subject' },
    ],
    [{ verdict: 'VERIFIED' }, { verdict: 'VERIFIED', class: null, advice: 'none' }],
    [{ verdict: 'FAILED' }, { verdict: 'FAILED', class: null, advice: 'ask_person' }],
    [
      { verdict: 'UNVERIFIABLE', advice: 'do_not_retry' },
      { verdict: 'UNVERIFIABLE', advice: 'do_not_retry' },
    ],
    [
      { verdict: 'FAILED', advice: 'retry_same_key' },
      { verdict: 'FAILED', advice: 'ask_person' },
    ],
  ])('%j gives %j', (rest, expected) => {
    expect(judged({ verified: [], states: state(rest) })).toMatchObject({
      reason: 'state_seen',
      detail: 'The state was seen.',
      ...expected,
    });
  });

  it.each<[string, object, string | null]>([
    ['is told to whom it says, where a person must look', { escalate_to: 'disputes' }, 'disputes'],
    ['is told to nobody unless it says so', {}, null],
    ['is told to nobody where no person is needed', { escalate_to: 'disputes', advice: 'do_not_retry' }, null],
  ])('%s', (_, rest, escalated) => {
    const states = state({ verdict: 'FAILED', ...rest });
    expect(judged({ verified: [], states }).escalated_to).toBe(escalated);
  });

  it('that gives PENDING names the reason and does not keep an operation from its deadline', () => {
    const given = {
      verified: [],
      contradicted: [],
      states: state({ verdict: 'PENDING' }),
      evidence: { minimum_channels: 9 },
    };
    expect(judged(given)).toMatchObject({ verdict: 'PENDING', reason: 'state_seen', advice: 'wait' });
    expect(judged(given, READ, 3600)).toMatchObject({
      verdict: 'UNVERIFIABLE',
      reason: 'evidence_unavailable_before_timeout',
      detail: 'state_seen: The state was seen.',
      escalated_to: 'support',
    });
  });
});

describe('the literal count of duplicates', () => {
  const double = (path: string): SmallGiven => ({
    evidence: { attribution: 'none' },
    contradicted: [
      {
        name: 'early',
        class: 'duplicate_side_effect',
        reason: 'X.',
        path: '$action.result.x',
        operator: 'eq',
        expected: 1,
      },
      { name: 'twice', class: 'duplicate_side_effect', reason: 'Twice.', path, operator: 'gt', expected: 1 },
    ],
  });
  const two = [...READ, event('R1', 40), event('R2', 41)];

  it('names the refunds beside the own one', () => {
    expect(judged(double('$observed.payment_events.count'), two)).toMatchObject({
      verdict: 'CONTRADICTED',
      class: 'duplicate_side_effect',
      reason: 'twice',
      advice: 'do_not_retry',
      duplicates: { ids: ['R2'], count: 1 },
    });
  });

  it('names all but the first where none is the own one', () => {
    const log = [START, actionFailed('op-1', 2), event('R2', 40), event('R3', 41)];
    expect(judged(double('$observed.payment_events.count'), log).duplicates.ids).toEqual(['R3']);
  });

  it('names none where one refund was seen, or the channel is not declared', () => {
    expect(judged(double('$observed.payment_events.count'), two.slice(0, -1)).duplicates.ids).toEqual([]);
    expect(judged(double('$observed.elsewhere.count'), two).duplicates.ids).toEqual([]);
  });
});

describe('findings', () => {
  const found = (log: readonly Observation[], given: SmallGiven = {}) => judged(given, log).findings;

  it('tell of a dispute and of a reversal, which are not refunds', () => {
    const log = [
      ...BOUND,
      event('D1', 4, { role: 'dispute', type: 'CUSTOMER.DISPUTE.CREATED' }),
      event('R9', 5, { role: 'reversal', type: 'PAYMENT.CAPTURE.REVERSED' }),
      event('X1', 6, { role: 'other', type: 'OTHER' }),
      read('op-1', 30, 'R1', { created: 1 }),
    ];
    expect(found(log).map(({ code, refund_id }) => [code, refund_id])).toEqual([
      ['dispute_seen', null],
      ['reversal_seen', 'R9'],
    ]);
  });

  it('name the money of a refund that nobody owns, as far as it is stated', () => {
    const unclaimed = event('R2', 5, { amount: '4.00', currency: null });
    const log = [...BOUND, unclaimed, read('op-1', 200, 'R1', { created: 1 })];
    expect(found(log)[0]).toMatchObject({
      code: 'unclaimed_refund',
      refund_id: 'R2',
      detail: expect.stringContaining('A refund of 4.00 that no operation owns'),
      observed_at: '2026-09-01T12:00:05.000Z',
    });
  });
});

describe('a verdict record', () => {
  const show = (observed: Json): string | null | undefined => {
    const verified = [condition({ path: '$action.result.x', operator: 'eq', expected: 'never' })];
    const log = [START, { ...acted('op-1', 1, 'R1'), result: { id: 'R1', x: observed } }];
    return judged({ verified }, log, 3600).conditions[0]?.observed;
  };

  it('shows what was observed: text as it is, numbers whole, the rest as JSON', () => {
    expect(show('text')).toBe('text');
    expect(show(12)).toBe('12');
    expect(show(9_007_199_254_740_993n)).toBe('9007199254740993');
    expect(show(true)).toBe('true');
    expect(show([1, { big: 9_007_199_254_740_993n }])).toBe('[1,{"big":"9007199254740993"}]');
  });

  it('shows at most 200 characters', () => {
    expect(show('x'.repeat(300))).toHaveLength(200);
    expect(show(['x'.repeat(300)])).toHaveLength(200);
  });

  it('has no conditions where nothing was judged', () => {
    expect(describeJudgement(null)).toEqual([]);
  });

  it.each<[string, Json]>([
    ['1000', 1000],
    ['1234567890123456789', 1234567890123456789n],
    ['10.5', '10.5'],
  ])('states the amount %s of a provider of minor units as %o', (amount, stated) => {
    const facts = refundFacts('R1', 1, { amount });
    const log = [START, { ...acted('op-1', 1, 'R1'), facts }];
    const square = smallSet({ provider: 'square', verified: [COMPLETED] });
    const last = play(square, log, 5, { ...PAYPAL, provider: 'square' }).last();
    // The first revision was published before the action: what is bound shows on the next.
    expect(last.refund).toBeNull();
    const late = play(square, log, 3600, { ...PAYPAL, provider: 'square' }).last();
    expect(late.refund).toEqual({ id: 'R1', amount: stated, currency: 'USD', status: 'COMPLETED' });
  });

  it('names a bound refund that is past what the state keeps', () => {
    const many = Array.from({ length: 200 }, (_, index) => event(`X${index}`, 2, { amount: '1.00' }));
    expect(judged({}, [START, ...many, acted('op-1', 3, 'R1')]).refund).toEqual({
      id: 'R1',
      amount: null,
      currency: null,
      status: null,
    });
  });
});

describe('a payment whose clock moves', () => {
  it('applies an observation without a time of its own at the end', () => {
    const input = { ref: PAYPAL, state: emptyPayment(PAYPAL), observations: [START], appliedAt: [], now: at(9) };
    expect(reducePayment(smallSet(), input).verdicts[0]?.decided_at).toBe('2026-09-01T12:00:09.000Z');
  });

  it('never asks to be evaluated at an instant that has passed', () => {
    expect(() => assertTimePasses(5, 6)).not.toThrow();
    expect(() => assertTimePasses(5, null)).not.toThrow();
    expect(() => assertTimePasses(5, 5)).toThrow('evaluation at 5 asks for 5');
  });

  it('answers a start that names no version and whose contract nobody knows', () => {
    const start = { ...started('op-1', 0), contract: { id: 'unheard', version: null } };
    expect(play(shipped, [start]).last()).toMatchObject({
      verdict: 'UNVERIFIABLE',
      reason: 'contract_unknown',
      detail: 'contract: was unheard, should be one of the contracts in use',
      contract: { id: 'unheard', version: '', hash: '' },
    });
  });
});
