import { describe, expect, it } from 'vitest';
import {
  type HandoffState,
  MAX_RECEIPT_BODIES,
  MAX_RECEIPTS,
  type Observation,
  reducePayment,
} from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { receipt, receiptBody } from '../../support/handoff-story.ts';
import { at, PAYPAL } from '../../support/story.ts';

const handoffOf = (...log: readonly Observation[]): HandoffState | undefined =>
  reducePayment(shipped, {
    ref: PAYPAL,
    state: null,
    observations: log,
    appliedAt: log.map(() => at(100)),
    now: at(100),
  }).state.handoff;

const [proven, other] = [receipt('r', 5, receiptBody('a')), receipt('r', 6, receiptBody('b'))];
const unsealed = receipt('r', 1, null);
const proofless = receipt('r', 2, null, { standing: 'proofless', why: 'no proof' });
const bare = receipt('r', 3, null, { standing: 'reference_only', why: 'nothing' });

const orders = (log: readonly Observation[]): Observation[][] =>
  log.length < 2
    ? [[...log]]
    : log.flatMap((one, index) => orders(log.filter((_, other) => other !== index)).map((rest) => [one, ...rest]));

describe('receipts', () => {
  it('come to the same in every order and repetition', () => {
    const log = [proven, unsealed, proofless, bare, other];
    const expected = handoffOf(...log);
    for (const order of orders(log)) expect(handoffOf(...order, ...order)).toEqual(expected);
    expect(expected?.receipts['charge:r']).toMatchObject({ standing: 'proven', why: null, at: at(1) });
    expect(expected?.receipts['charge:r']?.bodies.map(({ digest }) => digest)).toEqual(['a', 'b']);
  });

  it('that are not proven keep the best standing, and its reason', () => {
    expect(handoffOf(unsealed, bare, proofless)?.receipts['charge:r']).toMatchObject({
      standing: 'proofless',
      why: 'no proof',
      bodies: [],
    });
    const again = { ...unsealed, why: 'another reason' };
    for (const log of [
      [unsealed, again],
      [again, unsealed],
    ])
      expect(handoffOf(...log)?.receipts['charge:r']?.why).toBe('another reason');
  });

  it('of a refund are no charge receipts of the same reference', () => {
    const refund = receipt('r', 1, null, { of: 'refund' });
    expect(Object.keys(handoffOf(proven, refund)?.receipts ?? {})).toEqual(['charge:r', 'refund:r']);
  });

  it('are kept up to a limit, past which the payment says so', () => {
    const refs = Array.from({ length: MAX_RECEIPTS }, (_, index) => receipt(`r${index}`, 1, null));
    expect(handoffOf(...refs)?.isLimited).toBe(false);
    const over = handoffOf(...refs, receipt('one more', 2, null), refs[0] as Observation);
    expect(over?.isLimited).toBe(true);
    expect(Object.keys(over?.receipts ?? {})).toHaveLength(MAX_RECEIPTS);
    const bodies = Array.from({ length: MAX_RECEIPT_BODIES }, (_, index) => receipt('r', 1, receiptBody(`d${index}`)));
    expect(handoffOf(...bodies, bodies[0] as Observation, unsealed)?.isLimited).toBe(false);
    const more = handoffOf(...bodies, receipt('r', 1, receiptBody('a first')));
    expect(more?.isLimited).toBe(true);
    expect(more?.receipts['charge:r']?.bodies).toHaveLength(MAX_RECEIPT_BODIES);
  });
});
