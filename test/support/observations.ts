import fc from 'fast-check';
import type { Observation } from '../../src/evaluator/index.ts';
import { acted, actionFailed, event, list, read, refundFacts, reviewed, started } from './story.ts';

const ops = fc.constantFrom('op-1', 'op-2', 'op-3');
const refundIds = fc.constantFrom('R1', 'R2', 'R3');
const seconds = fc.integer({ min: 0, max: 400 });
const amounts = fc.constantFrom('10.00', '10.00', '4.00');
const statuses = fc.constantFrom('COMPLETED', 'COMPLETED', 'PENDING', 'FAILED', 'CANCELLED', 'UNHEARD');
const echoes = fc.constantFrom([], [], ['op-1'], ['custom-1']);

const starts = fc
  .record({ id: ops, s: seconds, amount: amounts, ref: fc.constantFrom(undefined, 'a', 'b') })
  .map(({ id, s, amount, ref }) =>
    started(id, s, { amount, ...(ref === undefined ? {} : { input: { intent_ref: ref } }) }),
  );

const refund = fc.record({
  amount: amounts,
  status: statuses,
  updated: fc.option(fc.integer({ min: 0, max: 500 }), { nil: null }),
  created: fc.option(seconds, { nil: null }),
  echoes,
});

/** Any observation about one PayPal payment with a few operations and refunds, colliding often. */
export const observations: fc.Arbitrary<Observation> = fc.oneof(
  { weight: 3, arbitrary: starts },
  fc.record({ id: ops, s: seconds, r: refundIds }).map(({ id, s, r }) => acted(id, s, r)),
  fc
    .record({ id: ops, s: seconds, kind: fc.constantFrom('timeout' as const, 'declined' as const) })
    .map(({ id, s, kind }) => actionFailed(id, s, kind)),
  {
    weight: 3,
    arbitrary: fc
      .record({
        r: refundIds,
        s: seconds,
        given: refund,
        role: fc.constantFrom('refund' as const, 'refund' as const, 'reversal' as const),
      })
      .map(({ r, s, given, role }) => event(r, s, { ...given, role })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        id: ops,
        r: refundIds,
        s: seconds,
        given: refund,
        outcome: fc.constantFrom('ok' as const, 'ok' as const, 'absent' as const, 'error' as const),
      })
      .map(({ id, r, s, given, outcome }) => read(id, s, r, { ...given, outcome, retryAfterMs: 5000 })),
  },
  fc
    .record({ id: ops, s: seconds, refunds: fc.uniqueArray(refundIds), given: refund })
    .map(({ id, s, refunds, given }) =>
      list(
        id,
        s,
        refunds.map((r) => refundFacts(r, 50, given)),
      ),
    ),
);

/** The same, with reviewers' decisions, which answer numbered revisions and so know the order of arrival. */
export const observationsWithReviews: fc.Arbitrary<Observation> = fc.oneof(
  { weight: 8, arbitrary: observations },
  fc
    .record({
      id: ops,
      s: seconds,
      revision: fc.integer({ min: 1, max: 3 }),
      decision: fc.constantFrom('VERIFIED' as const, 'FAILED' as const),
    })
    .map(({ id, s, revision, decision }) => reviewed(id, s, revision, decision)),
);
