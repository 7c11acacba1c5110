import { describe, expect, it } from 'vitest';
import { compareFacts, greater, isOutdated, sourcesOf, viewRefund } from '../../../src/evaluator/fold.ts';
import type { FoldedFacts, FoldedRead } from '../../../src/evaluator/state.ts';
import { at, type RefundGiven, refundFacts } from '../../support/story.ts';

const SOURCE = { topic: 'story', partition: 0, offset: '1' };

const folded = (seconds: number, given: RefundGiven & { version?: number; sha256?: string } = {}): FoldedFacts => ({
  facts: { ...refundFacts('R1', seconds, { updated: null, ...given }), version: given.version ?? null },
  at: at(seconds),
  sha256: given.sha256 ?? 'a',
  source: SOURCE,
});
const answer = (seconds: number, given: RefundGiven = {}): FoldedRead => ({ ...folded(seconds, given), body: {} });

describe('of two answers about a refund', () => {
  it.each<[string, FoldedFacts, FoldedFacts]>([
    ['the one updated later', folded(9, { updated: 1 }), folded(2, { updated: 5 })],
    [
      'of one update time the higher version',
      folded(9, { updated: 1, version: 1 }),
      folded(2, { updated: 1, version: 2 }),
    ],
    ['a version before none', folded(9, { updated: 1 }), folded(2, { updated: 1, version: 0 })],
    ['of one version the terminal status', folded(9, { updated: 1, status: 'PENDING' }), folded(2, { updated: 1 })],
    ['without an update time the terminal status', folded(9, { status: 'PENDING' }), folded(2, { status: 'FAILED' })],
    ['of two terminal ones the later observed', folded(2, { status: 'FAILED' }), folded(9)],
    ['of two pending ones the later observed', folded(2, { status: 'PENDING' }), folded(9, { status: 'PENDING' })],
    ['at the same instant the greater digest', folded(2, { sha256: 'a' }), folded(2, { sha256: 'b' })],
  ])('%s is greater', (_, less, more) => {
    expect(compareFacts(less, more)).toBeLessThan(0);
    expect(compareFacts(more, less)).toBeGreaterThan(0);
    expect(greater(less, more)).toBe(more);
    expect(greater(more, less)).toBe(more);
  });

  it('an equal one changes nothing', () => {
    const held = folded(2);
    expect(compareFacts(held, folded(2))).toBe(0);
    expect(greater(held, folded(2))).toBe(held);
    expect(greater(undefined, held)).toBe(held);
  });

  it('an update time that is no instant does not count', () => {
    const odd = { ...folded(2), facts: { ...refundFacts('R1', 2, {}), updatedAt: 'lately' } };
    expect(compareFacts(odd, folded(9))).toBeLessThan(0);
  });
});

describe('what is known of a refund', () => {
  it('comes from reads first, in the order of their channels, then events, lists and the action', () => {
    const [b, a, event, listed, action] = [answer(1), answer(2), folded(3), folded(4), folded(5)];
    const refund = { seenAt: at(0), reads: { b, a }, event, listed, acted: action };
    expect(sourcesOf(refund)).toEqual([a, b, event, listed, action]);
    expect(sourcesOf({ seenAt: at(0), reads: { b } })).toEqual([b]);
  });

  it('is nothing where only its id was named', () => {
    expect(viewRefund('R1', { seenAt: at(7) })).toEqual({
      id: 'R1',
      seenAt: at(7),
      paymentId: null,
      amount: null,
      currency: null,
      createdAt: null,
      created: null,
      status: null,
      state: 'unknown',
      echoes: [],
      at: at(7),
      isRead: false,
      isSeenAtProvider: false,
    });
  });

  it('is in two currencies where one source says so, and may be where none says otherwise', () => {
    const inOne = folded(3);
    const open = { ...inOne, facts: { ...inOne.facts, otherMoney: null } };
    const inTwo = { ...inOne, facts: { ...inOne.facts, otherMoney: { amount: '9.00', currency: 'EUR' } } };
    const view = (refund: object) => viewRefund('R1', { seenAt: at(1), ...refund });
    expect(view({ event: open })).toMatchObject({ otherMoney: null });
    expect(view({ event: open, listed: inTwo })).toMatchObject({ otherMoney: { currency: 'EUR' } });
    expect(view({ event: open, listed: inOne })).toMatchObject({ otherMoney: undefined });
  });

  it("rests on the action's word alone until the provider speaks", () => {
    const action = folded(1, { status: 'PENDING' });
    expect(viewRefund('R1', { seenAt: at(1), acted: action })).toMatchObject({
      state: 'pending',
      isRead: false,
      isSeenAtProvider: false,
    });
    expect(viewRefund('R1', { seenAt: at(1), acted: action, event: folded(2) })).toMatchObject({
      state: 'complete',
      isSeenAtProvider: true,
    });
  });

  it("never takes the action's word that the refund is dead", () => {
    expect(viewRefund('R1', { seenAt: at(1), acted: folded(1, { status: 'FAILED' }) }).state).toBe('unknown');
  });

  it('takes each field from the best source that states it, and every echo', () => {
    const read = answer(9, { amount: null, echoes: ['one'] });
    const event = folded(4, { amount: '10.00', echoes: ['two'] });
    expect(viewRefund('R1', { seenAt: at(1), reads: { refund_readback: read }, event })).toMatchObject({
      amount: '10.00',
      echoes: ['one', 'two'],
      isRead: true,
    });
  });

  it('has the state of a list that states only ids where nothing else is known', () => {
    const bare = { ...folded(4), facts: { ...refundFacts('R1', 4, {}), status: null, state: 'unknown' as const } };
    expect(viewRefund('R1', { seenAt: at(1), listed: bare })).toMatchObject({ state: 'unknown', status: null });
  });
});

describe('an answer', () => {
  const outdated = (read: RefundGiven, event: RefundGiven) =>
    isOutdated(folded(2, { updated: 1, ...read }), { seenAt: at(0), event: folded(9, { updated: 5, ...event }) });

  it('is outdated by a newer event of another state', () => {
    expect(outdated({}, { status: 'FAILED' })).toBe(true);
    expect(outdated({ updated: 6 }, { status: 'FAILED' })).toBe(false);
  });

  it('is not outdated by an event of the same state, of a word nobody knows, or by none', () => {
    expect(outdated({}, {})).toBe(false);
    expect(outdated({}, { status: 'UNHEARD' })).toBe(false);
    expect(isOutdated(folded(2), { seenAt: at(0) })).toBe(false);
  });
});
