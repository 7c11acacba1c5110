import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CompiledContract,
  type Json,
  type JsonObject,
  type Observation,
  type PaymentRef,
  reducePayment,
} from '../../src/evaluator/index.ts';
import { parseJsonText, printJson } from '../../src/records/json-text.ts';
import { decodeState, encodeState } from '../../src/records/state-codec.ts';
import { shipped } from '../support/contracts.ts';
import { observationsWithReviews } from '../support/observations.ts';
import { acted, at, event, PAYPAL, play, read, refundFacts, started } from '../support/story.ts';

const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', 'id', 'status', 'amount', 'R1'),
  fc.string({ maxLength: 6 }),
);

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, '', 'COMPLETED', '10.00', 'USD', '2026-09-01T12:00:00Z'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
})).value;

/** A value at each of some paths, so that what contracts read is there and is anything. */
const bodyOf = (paths: readonly string[][]): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(fc.constantFrom(...paths), json), { maxLength: 6 }).map((given) => {
    const body: Record<string, Json> = Object.create(null);
    for (const [path, value] of given) {
      let node = body;
      for (const name of path.slice(0, -1)) {
        const below = Object.create(null) as Record<string, Json>;
        node[name] = below;
        node = below;
      }
      node[path.at(-1) ?? ''] = value;
    }
    // As the parser gives it: a long integer is a bigint.
    return parseJsonText(printJson(body)) as JsonObject;
  });

/** Every name that some condition of the contract reads from an answer or the input. */
const pathsOf = (contract: CompiledContract): string[][] => {
  const rules = [...contract.verified, ...contract.contradicted, ...contract.states];
  const paths = rules.flatMap(({ comparison }) => [
    comparison.path,
    ...('path' in comparison.expected ? [comparison.expected.path] : []),
    ...comparison.and.map((further) => further.path),
  ]);
  const inside = paths.map(({ segments }) => segments.filter((one) => typeof one === 'string'));
  return [['x'], ...inside.filter((path) => path.length > 0)];
};

const refundIds = fc.oneof(
  fc.constantFrom('R1', 'R2'),
  names.filter((name) => name !== ''),
);
const seconds = fc.integer({ min: 0, max: 400 });
const words = fc.oneof(fc.constantFrom('COMPLETED', 'PENDING', 'FAILED', ''), fc.string({ maxLength: 6 }));

const facts = fc
  .record({
    id: refundIds,
    s: seconds,
    status: words,
    amount: fc.option(words),
    currency: fc.option(words),
    when: words,
  })
  .map(({ id, s, status, amount, currency, when }) => ({
    ...refundFacts(id, s, { status, amount, currency }),
    ...(when === '' ? {} : { createdAt: when, updatedAt: when }),
  }));

/** Any observation under a shipped contract, with any JSON wherever an answer or an input may hold it. */
const hostileOf = (contract: CompiledContract): fc.Arbitrary<Observation> => {
  const { id, version } = contract.ref;
  const bodies = bodyOf(pathsOf(contract));
  const channels = fc.oneof(fc.constantFrom(...contract.channels.keys()), names);
  const ops = fc.oneof(fc.constant('op-1'), names);
  const types = fc.constantFrom(...[...contract.channels.values()].flatMap(({ events }) => events?.types ?? []), 'ANY');
  return fc.oneof(
    fc.record({ op: ops, s: seconds, input: bodies }).map(({ op, s, input }) => ({
      ...started(op, s, { contract: id, version }),
      input: { ...started(op, s).input, ...input },
    })),
    fc
      .record({ op: ops, s: seconds, result: bodies, facts: fc.option(facts) })
      .map(({ op, s, result, facts: one }) => ({
        ...acted(op, s, 'R1'),
        result,
        facts: one,
      })),
    fc.record({ s: seconds, facts: fc.option(facts), type: types, when: fc.option(words) }).map((given) => ({
      ...event('R1', given.s, { type: given.type }),
      dedupeKey: JSON.stringify([given.type, given.facts]),
      facts: given.facts,
      occurredAt: given.when,
    })),
    fc
      .record({
        op: ops,
        s: seconds,
        body: bodies,
        facts: fc.array(facts, { maxLength: 3 }),
        channel: channels,
        list: fc.boolean(),
      })
      .map(({ op, s, body, facts: all, channel, list }) => ({
        ...read(op, s, 'R1'),
        body,
        facts: all,
        channel,
        isList: list,
      })),
  );
};

describe.each(shipped.all.map((contract) => [`${contract.ref.id} ${contract.ref.version}`, contract] as const))(
  'under %s',
  (_, contract) => {
    // As the parser gives it: an integer of more than 15 digits is never a double.
    const logs = fc
      .array(hostileOf(contract), { maxLength: 10 })
      .map((log) => parseJsonText(printJson(log as never)) as unknown as Observation[]);
    const ref: PaymentRef = { ...PAYPAL, provider: contract.contract.provider };

    it('the evaluator is total: any JSON in bodies, inputs and results gives verdicts and a state that can be kept', () => {
      fc.assert(
        fc.property(logs, (log) => {
          const { step, state } = play(shipped, log, 5 * 86_400, ref);
          for (const verdict of step.verdicts) expect(verdict.reason).not.toBe('');
          expect(decodeState(encodeState(state))).toEqual(state);
        }),
        { numRuns: 60 },
      );
    });

    it('the evaluator is deterministic: the same twice', () => {
      fc.assert(
        fc.property(logs, (log) => {
          const input = { ref, state: null, observations: log, appliedAt: log.map(() => at(500)), now: at(9000) };
          expect(reducePayment(shipped, input)).toEqual(reducePayment(shipped, input));
        }),
        { numRuns: 30 },
      );
    });
  },
);

describe('deduplication', () => {
  it('keeps as many events as there are distinct ids, and counts the rest as dropped', () => {
    fc.assert(
      fc.property(fc.array(observationsWithReviews, { maxLength: 30 }), (log) => {
        const events = log.filter((one) => one.kind === 'event');
        const distinct = new Set(events.map((one) => one.dedupeKey));
        const { state } = play(shipped, log);
        expect(state.events).toHaveLength(distinct.size);
        const dropped = Object.values(state.dropped).reduce((sum, one) => sum + one, 0);
        expect(dropped).toBe(events.length - distinct.size);
      }),
      { numRuns: 300 },
    );
  });
});
