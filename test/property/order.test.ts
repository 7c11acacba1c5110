import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeJudgement, judgeOperation, type PaymentState, viewPayment } from '../../src/evaluator/index.ts';
import { shipped } from '../support/contracts.ts';
import { observations } from '../support/observations.ts';
import { at, play } from '../support/story.ts';

/** A log, and the same log shuffled with repeats. */
const logs = fc.array(observations, { minLength: 1, maxLength: 14 }).chain((log) =>
  fc.record({
    log: fc.constant(log),
    other: fc
      .shuffledSubarray([...log, ...log], { minLength: log.length, maxLength: 2 * log.length })
      .map((shuffled) => {
        const missing = log.filter((one) => !shuffled.includes(one));
        return [...shuffled, ...missing];
      }),
    until: fc.constantFrom(450, 700, 5 * 86_400),
  }),
);

/** The state without what tells of the order of arrival: what was published when, the repeats, the log's coordinates. */
const content = (state: PaymentState): unknown => {
  const operations = Object.fromEntries(
    Object.entries(state.operations).map(([id, operation]) => [id, { ...operation, published: [] }]),
  );
  return { ...state, operations, dropped: {}, evaluateAt: null };
};

const evaluated = (state: PaymentState, now: number) => {
  const view = viewPayment(state, shipped);
  return [...view.operations.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((operation) => {
      const one = judgeOperation(view, operation, now);
      if (one === null) return { id: operation.id };
      const { judgement, heldUntil: _, detail, ...rest } = one.evaluation;
      const conditions = one.subject === null ? [] : describeJudgement(judgement);
      return { id: operation.id, ...rest, detail: detail(), conditions, refunds: [...view.refunds.keys()].sort() };
    });
};

describe('any order, any repetition', () => {
  it('ends in the same state and the same evaluation', () => {
    fc.assert(
      fc.property(logs, ({ log, other, until }) => {
        const [one, two] = [play(shipped, log, until), play(shipped, other, until)];
        expect(content(two.state)).toEqual(content(one.state));
        expect(evaluated(two.state, at(until))).toEqual(evaluated(one.state, at(until)));
        expect(two.state.evaluateAt).toEqual(one.state.evaluateAt);
      }),
      { numRuns: 1500 },
    );
  });

  it('ends, with no window open, in the same published verdict', () => {
    fc.assert(
      fc.property(logs, ({ log, other }) => {
        const [one, two] = [play(shipped, log, 5 * 86_400), play(shipped, other, 5 * 86_400)];
        const published = ({ state }: { state: PaymentState }) =>
          Object.entries(state.operations)
            .map(([id, { published: all }]) => [id, all.at(-1)?.verdict, all.at(-1)?.class, all.at(-1)?.reason])
            .sort();
        expect(published(two)).toEqual(published(one));
      }),
      { numRuns: 1500 },
    );
  });

  it('does not depend on how the log was cut into batches', () => {
    fc.assert(
      fc.property(logs, fc.nat({ max: 13 }), ({ log, until }, cut) => {
        const whole = play(shipped, log, until);
        const first = play(shipped, log.slice(0, cut));
        const second = play(shipped, log.slice(cut), until, undefined, cut === 0 ? null : first.state);
        const all = (cut === 0 ? [] : first.verdicts).concat(second.verdicts);
        expect(all.map(({ verdict_id, verdict, reason }) => [verdict_id, verdict, reason])).toEqual(
          whole.verdicts.map(({ verdict_id, verdict, reason }) => [verdict_id, verdict, reason]),
        );
      }),
      { numRuns: 500 },
    );
  });
});
