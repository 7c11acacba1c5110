import { describe, expect, it } from 'vitest';
import { emptyPayment, type Observation, type PaymentState } from '../../../src/evaluator/index.ts';
import { decodeState, encodeState } from '../../../src/records/state-codec.ts';
import { shipped } from '../../support/contracts.ts';
import { receipt, receiptBody } from '../../support/handoff-story.ts';
import { acted, event, list, PAYPAL, play, read, refundFacts, started } from '../../support/story.ts';

const kept = (...log: readonly Observation[]): PaymentState => play(shipped, log).state;

describe("a state's compact text", () => {
  it.each<[string, PaymentState]>([
    ['nothing', emptyPayment(PAYPAL)],
    ['the mark of a payment past its limits', { ...emptyPayment(PAYPAL), isLimited: true }],
    ['digests that are none in hex', kept({ ...event('R1', 4), dedupeKey: 'a key', sha256: '~odd' })],
    ['an offset that is no number', kept({ ...event('R1', 4), source: { topic: 't', partition: 3, offset: '007' } })],
    [
      'an offset beyond a double',
      kept({ ...event('R1', 4), source: { topic: 't', partition: 3, offset: '9'.repeat(18) } }),
    ],
    ['a refund whose answer names another', kept(started('op-1', 0), read('op-1', 10, 'R1', { bodyId: 'R2' }))],
    ['facts that state nothing', kept(event('R1', 4, { updated: null, created: null, paymentId: null }))],
    ['facts of another payment', kept(event('R1', 4, { paymentId: 'ELSEWHERE', updated: 9 }))],
    [
      'a version and echoes',
      kept({ ...event('R1', 4), facts: { ...refundFacts('R1', 4, { echoes: ['e'] }), version: 3 } }),
    ],
    [
      'money in two currencies',
      kept({
        ...event('R1', 4),
        facts: { ...refundFacts('R1', 4, {}), otherMoney: { amount: '10.00', currency: 'EUR' } },
      }),
    ],
    [
      'a second currency whose sum is not stated',
      kept({ ...event('R1', 4), facts: { ...refundFacts('R1', 4, {}), otherMoney: null } }),
    ],
    ['an event of no refund', kept({ ...event('R1', 4), facts: null, occurredAt: null, role: 'dispute' })],
    ['a key of its own', kept(started('op-1', 0, { key: 'another' }))],
    [
      'a start recorded at another time than it says',
      kept({ ...started('op-1', 0), createdAt: '2026-09-01T11:00:00Z' }),
    ],
    ['a refused start', kept(started('op-1', 0, { refused: { code: 'input_invalid', detail: 'amount: was x' } }))],
    [
      'a start of an unknown contract',
      kept(started('op-1', 0, { refused: { code: 'contract_unknown', detail: 'x' } })),
    ],
    ['a handoff and a backfill', kept({ ...started('op-1', 0, { observeFrom: 60 }), handoff: 'digest' })],
    ['an answer without a refund', kept({ ...acted('op-1', 1, 'R1'), facts: null })],
    ['receipts and answers', { ...kept(receipt('r', 1, receiptBody('a'))), touchedAt: 5 }],
    ['a list', kept(list('op-1', 5, [refundFacts('R1', 4, {})]))],
    [
      'names that objects inherit',
      kept(event('__proto__', 4), event('__proto__', 4), acted('constructor', 1, 'toString')),
    ],
  ])('gives back %s', (_, state) => {
    expect(decodeState(encodeState(state))).toEqual(state);
  });
});
