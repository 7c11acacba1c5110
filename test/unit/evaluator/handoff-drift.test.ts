import { describe, expect, it } from 'vitest';
import {
  createReducer,
  type HandoffPlan,
  type Observation,
  type StartedObservation,
  type VerdictRecord,
} from '../../../src/evaluator/index.ts';
import { shipped } from '../../support/contracts.ts';
import { asked, digestOf, storyAnswer, storyPlan } from '../../support/handoff-story.ts';
import { acted, at, event, PAYPAL, read, type StartGiven, started } from '../../support/story.ts';

const planned = (
  id: string,
  seconds: number,
  given: StartGiven = {},
  handoff = digestOf('h1'),
): StartedObservation => ({
  ...started(id, seconds, { key: 'key-h1', ...given }),
  handoff,
  identity: `${id} ${JSON.stringify(given)} ${handoff}`,
});

/** A refund that went through, by every evidence. */
const settled = (id: string, refund: string, from: number): Observation[] => [
  acted(id, from + 1, refund),
  event(refund, from + 4, { created: from + 1 }),
  read(id, from + 30, refund, { created: from + 1 }),
];

/** Plays a log, with a plan `h1` granted to whoever asks for it. */
const play = (log: readonly Observation[], until: number, plan: Partial<HandoffPlan> = {}) => {
  const reduce = createReducer(({ request }) => storyAnswer(request, storyPlan(request.handoffId, 0, plan)));
  return reduce(shipped, {
    ref: PAYPAL,
    state: null,
    observations: log,
    appliedAt: log.map((one) => one.at),
    now: at(until),
  });
};

const last = (verdicts: readonly VerdictRecord[], id = 'op-1') => {
  const { verdict, class: kind, reason } = verdicts.filter((one) => one.operation_id === id).at(-1) as VerdictRecord;
  return [verdict, kind, reason];
};

const VERIFIED = ['VERIFIED', null, 'all_conditions_hold'];
const drifted = (reason: string) => ['CONTRADICTED', 'handoff_drift', reason];

describe('an operation that names a plan', () => {
  it('is verified where it does what the plan says', () => {
    const log = [asked('h1', 0), planned('op-1', 10), ...settled('op-1', 'R1', 10)];
    expect(last(play(log, 500).verdicts)).toEqual(VERIFIED);
  });

  it.each<[string, StartGiven, Partial<HandoffPlan>, string]>([
    ['an amount', { amount: '9.00' }, {}, 'handoff_amount_drift'],
    ['a currency', { currency: 'EUR' }, {}, 'handoff_amount_drift'],
    ['a payer', { input: { payer: 'payer-2' } }, {}, 'handoff_payer_drift'],
    ['a counterparty', { input: { counterparty: 'payer-2' } }, {}, 'handoff_payer_drift'],
    ['a rail', { input: { rail: 'mock' } }, {}, 'handoff_rail_drift'],
    ['an idempotency key', { key: 'another' }, {}, 'handoff_key_drift'],
    [
      'a plan whose amount cannot be told',
      {},
      { refund: { ...storyPlan('h1', 0).refund, provider_amount: null } },
      'handoff_amount_drift',
    ],
  ])('is contradicted where it drifts by %s', (_, given, plan, reason) => {
    const log = [asked('h1', 0), planned('op-1', 10, given)];
    expect(last(play(log, 20, plan).verdicts)).toEqual(drifted(reason));
  });

  it('says what the plan says and what it does', () => {
    const { verdicts } = play([asked('h1', 0), planned('op-1', 10, { amount: '9.00', key: 'k' })], 20);
    expect(verdicts.at(-1)?.detail).toBe(
      'The plan says an amount of 10.00 USD; the operation says 9.00 USD. (handoff_amount_drift) ' +
        'The plan says the idempotency key is key-h1; the operation says k. (handoff_key_drift)',
    );
  });

  it('agrees where it repeats payer and rail as they are', () => {
    const log = [asked('h1', 0), planned('op-1', 10, { input: { payer: 'payer-1', rail: 'paypal' } })];
    expect(last(play(log, 20).verdicts)).toEqual(['PENDING', null, 'awaiting_evidence']);
  });

  it('must begin while the plan holds its sum', () => {
    expect(last(play([asked('h1', 0), planned('op-1', 955)], 960).verdicts)[0]).toBe('PENDING');
    expect(last(play([asked('h1', 0), planned('op-1', 1000)], 1010).verdicts)).toEqual(drifted('handoff_expired'));
  });

  it('is the first that names it; the second is contradicted, in any order of arrival', () => {
    const [first, second] = [planned('op-2', 10), planned('op-1', 11)];
    for (const log of [
      [first, second],
      [second, first],
    ]) {
      const { verdicts } = play([asked('h1', 0), ...log], 60);
      expect(last(verdicts, 'op-1')).toEqual(drifted('handoff_used'));
      expect(last(verdicts, 'op-2')[0]).toBe('PENDING');
    }
    const same = play([asked('h1', 0), planned('b', 10), planned('a', 10)], 60).verdicts;
    expect(last(same, 'b')).toEqual(drifted('handoff_used'));
  });

  it('waits for a plan that it does not know, and is contradicted when none comes', () => {
    const log = [planned('op-1', 10), ...settled('op-1', 'R1', 10)];
    const { verdicts } = play(log, 129);
    expect(last(verdicts)).toEqual(['PENDING', null, 'awaiting_evidence']);
    expect(play(log, 131).verdicts.at(-1)).toMatchObject({
      class: 'handoff_drift',
      reason: 'handoff_unknown',
      money_moved: true,
    });
  });

  it('says what it waits for at the deadline of a wait that is longer', () => {
    const backfill = { ...planned('op-1', 10), at: at(10) };
    const { verdicts } = play([backfill], 20);
    expect(verdicts.at(-1)?.detail).toContain('the plan that it names is not known yet');
  });

  it('is restored by a plan that comes late', () => {
    const log = [planned('op-1', 10), ...settled('op-1', 'R1', 10), asked('h1', 300)];
    const { verdicts } = play(log, 400);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['PENDING', 'CONTRADICTED', 'VERIFIED']);
  });

  it('does not know the plan of another payment, nor one that was refused', () => {
    const reduce = createReducer(({ request }) => storyAnswer(request, null));
    const observations = [asked('h1', 0), planned('op-1', 10)];
    const { verdicts } = reduce(shipped, {
      ref: PAYPAL,
      state: null,
      observations,
      appliedAt: observations.map((one) => one.at),
      now: at(200),
    });
    expect(last(verdicts)).toEqual(drifted('handoff_unknown'));
  });
});

describe('a start on a plan that ended unbegun', () => {
  /** Plans h1 and h2 of 10.00 each have ended; h3 was granted on what they held, and `left` remains beside it. */
  const lateLog = (...late: readonly StartedObservation[]): Observation[] => [
    asked('h1', 0),
    asked('h2', 1),
    asked('no', 2),
    asked('h3', 1100),
    ...late,
  ];
  const judge = (log: readonly Observation[], left: string, amount = '10.00') => {
    const reduce = createReducer(({ request: { handoffId: id, ...rest } }) => {
      const plan = storyPlan(id, id === 'h3' ? 1100 : 0);
      const request = { ...rest, handoffId: id };
      if (id === 'no') return storyAnswer(request, null);
      if (id !== 'h3') return storyAnswer(request, { ...plan, refund: { ...plan.refund, amount } });
      return storyAnswer(request, {
        ...plan,
        ceiling: { ...plan.ceiling, remaining_after: left, lapsed: ['h1', 'h2', 'forgotten'] },
      });
    });
    return reduce(shipped, {
      ref: PAYPAL,
      state: null,
      observations: log,
      // They come late, whatever their created_at says.
      appliedAt: log.map((one) => (one.kind === 'started' ? at(1200) : one.at)),
      now: at(1300),
    }).verdicts;
  };
  const first = planned('op-1', 100);
  const second = planned('op-2', 200, { key: 'key-h2' }, digestOf('h2'));
  const third = planned('op-3', 1150, { key: 'key-h3' }, digestOf('h3'));
  const waiting = ['PENDING', null, 'awaiting_evidence'];

  it('is contradicted where its sum was given to another plan, whatever its created_at says', () => {
    const verdicts = judge(lateLog(first, third), '9.99');
    expect(last(verdicts)).toEqual(drifted('handoff_expired'));
    const told = verdicts.filter(({ operation_id: id }) => id === 'op-1').at(-1);
    expect(told?.detail).toContain('was given to the plan h3');
    expect(last(verdicts, 'op-3')).toEqual(waiting);
  });

  it('is held to nothing more where what is left suffices', () => {
    expect(last(judge(lateLog(first, third), '10.00'))).toEqual(waiting);
  });

  it('leaves its place to the one before it, in any order of arrival', () => {
    for (const log of [lateLog(first, second), lateLog(second, first)]) {
      const verdicts = judge(log, '10.00');
      expect(last(verdicts, 'op-1')).toEqual(waiting);
      expect(last(verdicts, 'op-2')).toEqual(drifted('handoff_expired'));
    }
    const refused = { ...first, refused: { code: 'input_invalid', detail: 'x' } as const };
    const drifting = planned('op-4', 90, { key: 'another' });
    for (const other of [refused, drifting])
      expect(last(judge(lateLog(other, second), '10.00'), 'op-2')).toEqual(waiting);
  });

  it('is told once where its created_at is late too, or another operation has the plan', () => {
    const late = judge(lateLog(planned('op-1', 1000)), '0.00');
    expect(late.at(-1)?.detail).toContain('it must begin before');
    expect(late.at(-1)?.detail).not.toContain('h3');
    expect(last(judge(lateLog(first, planned('op-2', 101)), '0.00'), 'op-2')).toEqual(drifted('handoff_used'));
  });

  it('is contradicted where the sum cannot be told', () => {
    expect(last(judge(lateLog(first), '10.00', 'ten'))).toEqual(drifted('handoff_expired'));
  });
});
