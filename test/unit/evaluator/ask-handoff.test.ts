import { describe, expect, it } from 'vitest';
import {
  CHARGE_VALID_MS,
  createReducer,
  type DecideHandoff,
  type HandoffQuestion,
  HOLD_GRACE_MS,
  MAX_DECISIONS,
  type Observation,
  type PaymentState,
  reducePayment,
} from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { asked, digestOf, grantAll, receipt, receiptBody, storyAnswer } from '../../support/handoff-story.ts';
import { acted, actionFailed, at, event, list, PAYPAL, read, refundFacts, started } from '../../support/story.ts';

const play = (
  log: readonly Observation[],
  until: number,
  decide: DecideHandoff = grantAll,
  state: PaymentState | null = null,
) =>
  createReducer(decide)(shipped, {
    ref: PAYPAL,
    state,
    observations: log,
    appliedAt: log.map((one) => one.at),
    now: at(until),
  });

/** What the decision is asked after these records. */
const questionAfter = (...log: readonly Observation[]): HandoffQuestion => {
  let question: HandoffQuestion | null = null;
  play([...log, asked('h1', 100)], 100, (given) => {
    question = given;
    return grantAll(given);
  });
  if (question === null) throw new Error('nothing was asked');
  return question;
};

const sumsAfter = (...log: readonly Observation[]) =>
  questionAfter(...log).sums.map(({ kind, id, amount, currency }) => `${kind} ${id} ${amount} ${currency}`);

describe('a request for a plan', () => {
  it('comes to nothing where nobody decides', () => {
    const input = { ref: PAYPAL, state: null, observations: [asked('h1', 0)], appliedAt: [at(0)], now: at(0) };
    expect(reducePayment(shipped, input)).toMatchObject({ handoffs: [], verdicts: [] });
  });

  it('is answered once, however often it comes', () => {
    const { handoffs, state } = play([asked('h1', 0, 1), asked('h1', 5, 2), asked('h1', 0, 1)], 10);
    expect(handoffs).toMatchObject([{ index: 0, decided: { handoff_id: 'h1', decision: 'planned' } }]);
    expect(Object.keys(state.handoff?.decisions ?? {})).toEqual(['h1']);
  });

  it('is asked again by a later record where it was refused, never by the same or an earlier one', () => {
    const refuse: DecideHandoff = ({ request }) => storyAnswer(request, null);
    const log = [asked('h1', 0, 9), asked('h1', 1, 9), asked('h1', 2, 8), asked('h1', 3, 10)];
    expect(play(log, 10, refuse).handoffs.map(({ index }) => index)).toEqual([0, 3]);
    const elsewhere = { ...asked('h1', 4, 1), source: { topic: 'handoff-requested', partition: 1, offset: '1' } };
    const other = { ...asked('h1', 5, 1), source: { topic: 'other', partition: 1, offset: '1' } };
    expect(play([asked('h1', 0, 9), elsewhere, other], 10, refuse).handoffs).toHaveLength(3);
  });

  it('takes a known answer for a fact', () => {
    const held = play([asked('h1', 0, 1)], 10).state;
    const refuse: DecideHandoff = ({ request }) => storyAnswer(request, null);
    expect(play([asked('h1', 0, 1)], 10, refuse, held)).toMatchObject({
      handoffs: [],
      state: { handoff: held.handoff },
    });
  });
});

describe('what a decision is told', () => {
  it('every live refund, owned or not, and no dead one', () => {
    expect(
      sumsAfter(
        event('R1', 1),
        event('R2', 2, { status: 'PENDING', amount: '2.00' }),
        event('R3', 3, { status: 'FAILED' }),
        event('R4', 4, { status: 'UNHEARD', amount: null }),
        event('R5', 5, { paymentId: 'ELSEWHERE' }),
        event('R6', 6, { paymentId: null, amount: '6.00' }),
        { ...read('op-9', 7, 'R7'), facts: [{ ...refundFacts('R7', 7, {}), state: 'no_money' }] },
      ),
    ).toEqual(['refund R1 10.00 USD', 'refund R2 2.00 USD', 'refund R4 null USD', 'refund R6 6.00 USD']);
  });

  it('a second currency where the provider states one', () => {
    const both = event('R1', 1);
    const otherMoney = { amount: '9.00', currency: 'EUR' };
    const facts = { ...refundFacts('R1', 1, {}), otherMoney };
    expect(questionAfter({ ...both, facts }).sums).toMatchObject([{ otherMoney }]);
  });

  it('an operation whose refund is not known, until the evidence says that no money moved', () => {
    expect(sumsAfter(started('op-1', 0))).toEqual(['operation op-1 10.00 USD']);
    expect(sumsAfter(started('op-1', 0), actionFailed('op-1', 1))).toEqual(['operation op-1 10.00 USD']);
    const declined = [started('op-1', 0), actionFailed('op-1', 1, 'declined'), list('op-1', 90, [])];
    expect(sumsAfter(...declined)).toEqual([]);
  });

  it('its refund in its place once it is known, and nothing where that is dead', () => {
    expect(sumsAfter(started('op-1', 0), acted('op-1', 1, 'R1'), event('R1', 4, { created: 1 }))).toEqual([
      'refund R1 10.00 USD',
    ]);
    const failed = [started('op-1', 0), acted('op-1', 1, 'R1'), event('R1', 4, { created: 1, status: 'FAILED' })];
    expect(sumsAfter(...failed)).toEqual([]);
  });

  it('a refund that a lagging read calls dead, as if it lived', () => {
    const soon = read('op-1', 3, 'R1', { created: 1, status: 'FAILED', updated: null });
    expect(sumsAfter(started('op-1', 0), acted('op-1', 1, 'R1'), soon)).toEqual(['refund R1 10.00 USD']);
    const late = read('op-1', 90, 'R1', { created: 1, status: 'FAILED', updated: null });
    expect(sumsAfter(started('op-1', 0), acted('op-1', 1, 'R1'), late)).toEqual([]);
  });

  it('an operation whose refund another one owns', () => {
    const log = [
      started('op-1', 0),
      started('op-2', 1),
      acted('op-1', 2, 'R1'),
      acted('op-2', 3, 'R1'),
      event('R1', 4, { created: 2 }),
    ];
    expect(sumsAfter(...log)).toEqual(['refund R1 10.00 USD', 'operation op-2 10.00 USD']);
  });

  it('no verified operation beside the refund that nobody owns by a strong key', () => {
    const literal = started('op-1', 0, { version: '1.0.0' });
    const log = [literal, event('R1', 4, { created: 1 })];
    const { verdicts } = play(log, 100);
    expect(verdicts.at(-1)?.verdict).not.toBe('VERIFIED');
    expect(sumsAfter(...log)).toEqual(['refund R1 10.00 USD', 'operation op-1 10.00 USD']);
  });

  it('the sum of a start that was refused, as far as its input says', () => {
    const refused = { code: 'contract_unknown', detail: 'x' } as const;
    expect(sumsAfter(started('op-1', 0, { refused }))).toEqual(['operation op-1 10.00 USD']);
    const bare = { ...started('op-1', 0, { refused }), input: {} };
    expect(sumsAfter(bare)).toEqual(['operation op-1 null null']);
    const other = { ...started('op-1', 0, { refused }), input: { amount: 1000, currency: 'usd' } };
    expect(sumsAfter(other)).toEqual(['operation op-1 1000 USD']);
  });

  it('no operation that has only been acted on', () => {
    expect(sumsAfter(actionFailed('op-1', 1))).toEqual([]);
  });

  it('which plans are carried out as they say, and no plan that an operation names and leaves', () => {
    const onPlan = { ...started('op-1', 20, { key: 'key-h0' }), handoff: digestOf('h0') };
    const begunAfter = (begun: Observation) => [...questionAfter(asked('h0', 0), begun).started];
    expect(begunAfter(onPlan)).toEqual([digestOf('h0')]);
    expect(begunAfter({ ...onPlan, idempotencyKey: 'another' })).toEqual([]);
    expect(begunAfter({ ...onPlan, input: { ...onPlan.input, amount: '1.00' } })).toEqual([]);
    expect(begunAfter({ ...onPlan, refused: { code: 'input_invalid', detail: 'an amount' } })).toEqual([]);
    expect(begunAfter({ ...onPlan, handoff: digestOf('unheard of') })).toEqual([]);
    expect(begunAfter(started('op-1', 20))).toEqual([]);
  });

  it('whether the provider took money back', () => {
    const question = questionAfter(event('R9', 2, { role: 'reversal' }));
    expect(question).toMatchObject({ isReversed: true, isDisputed: false, isLimited: false });
    expect(questionAfter(event('R9', 2, { role: 'dispute' }))).toMatchObject({ isReversed: false, isDisputed: true });
  });
});

describe('the memory of answers', () => {
  const many = (count: number, refused: boolean): PaymentState => {
    const decide: DecideHandoff = (question) => (refused ? storyAnswer(question.request, null) : grantAll(question));
    const log = Array.from({ length: count }, (_, index) => asked(`h${index}`, index / 1000, index));
    return play(log, 10, decide).state;
  };

  it('forgets the oldest refusal for a new answer', () => {
    const { state, handoffs } = play([asked('new', 50)], 60, grantAll, many(MAX_DECISIONS, true));
    expect(handoffs).toHaveLength(1);
    expect(Object.keys(state.handoff?.decisions ?? {})).toHaveLength(MAX_DECISIONS);
    expect(state.handoff?.decisions['h0']).toBeUndefined();
    expect(state.handoff?.decisions['new']).toBeDefined();
  });

  it('forgets a refusal before a plan, however much older the plan is', () => {
    const long = at(0) - at(9000);
    const plan = play([asked('plan', long / 1000, 0)], 0);
    const decide: DecideHandoff = ({ request }) => storyAnswer(request, null);
    const refused = Array.from({ length: MAX_DECISIONS - 1 }, (_, index) =>
      asked(`h${index}`, index / 1000, index + 1),
    );
    const full = play(refused, 10, decide, plan.state).state;
    const { decisions = {} } = play([asked('new', 50, 300)], 60, decide, full).state.handoff ?? {};
    expect(Object.keys(decisions)).toHaveLength(MAX_DECISIONS);
    expect(decisions['plan']).toBeDefined();
    expect(decisions['h0']).toBeUndefined();
  });

  it('grants nothing where it has no room, and forgets plans that nobody can begin any more', () => {
    const full = many(MAX_DECISIONS, false);
    const limited: boolean[] = [];
    const decide: DecideHandoff = (question) => {
      limited.push(question.isLimited);
      return storyAnswer(question.request, null);
    };
    const { state } = play([asked('new', 50), asked('later', 4000)], 4010, decide, full);
    expect(limited).toEqual([true, false]);
    expect(state.handoff?.decisions['new']).toBeUndefined();
    expect(state.handoff?.decisions['later']).toBeDefined();
  });

  it('keeps a plan until a start that was made in time must have come', () => {
    const full = many(MAX_DECISIONS, false);
    const limited: boolean[] = [];
    const decide: DecideHandoff = (question) => {
      limited.push(question.isLimited);
      return storyAnswer(question.request, null);
    };
    play([asked('new', 3600 + 60)], 4010, decide, full);
    play([asked('later', 3600 + 121)], 4010, decide, full);
    expect(limited).toEqual([true, false]);
  });

  it('keeps a plan that was begun', () => {
    const full = many(MAX_DECISIONS, false);
    const begun = Array.from({ length: MAX_DECISIONS }, (_, index) => ({
      ...started(`op-${index}`, 20, { key: `key-h${index}` }),
      handoff: digestOf(`h${index}`),
    }));
    const limited: boolean[] = [];
    play(
      [...begun, started('op-of-no-plan', 20), asked('new', 4000)],
      4010,
      (question) => {
        limited.push(question.isLimited);
        return storyAnswer(question.request, null);
      },
      full,
    );
    expect(limited).toEqual([true]);
  }, 60_000);

  it('outlives the watch period while a charge or an authority may matter', () => {
    const charge = play([receipt('rcpt-1', 0, receiptBody('a'))], 10);
    expect(charge.expiresAt).toBeGreaterThan(at(-60) + CHARGE_VALID_MS);
    const refund = receipt('rcpt-2', 0, receiptBody('b', { refund: { refundId: 'R1', chargeRef: 'rcpt-1' } }), {
      of: 'refund',
    });
    expect(play([refund], 10).expiresAt).toBeLessThan(at(0) + 60 * 86_400_000);
    const year = new Date(at(0) + 365 * 86_400_000).toISOString();
    const decide: DecideHandoff = (question) => {
      const decided = grantAll(question);
      const { plan } = decided;
      return plan === null
        ? decided
        : { ...decided, plan: { ...plan, authority: { ...plan.authority, expires_at: year } } };
    };
    // A start that was made in time may come so much later: its authority must still be known as spent.
    const slackMs = 7 * 86_400_000;
    expect(play([asked('h1', 0)], 10, decide).expiresAt).toBe(at(0) + 365 * 86_400_000 + HOLD_GRACE_MS + slackMs);
  });
});
