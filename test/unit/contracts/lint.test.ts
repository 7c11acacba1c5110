import { describe, expect, it } from 'vitest';
import { lintContract } from '../../../src/contracts/lint.ts';
import { loadContracts } from '../../../src/contracts/load.ts';
import type { Contract } from '../../../src/evaluator/contract.ts';

const set = loadContracts();
const shippedContract = (id: string, version: string): Contract => set.find(id, version)?.contract as Contract;
const paypal = shippedContract('paypal.refund.completed', '1.1.0');
const shopify = shippedContract('shopify.refund.financially_completed', '1.0.0');

/** A deep copy that may be broken at will. */
// biome-ignore lint/suspicious/noExplicitAny: the point is to build what the types forbid
type Loose = any;
const broken = (contract: Contract, change: (copy: Loose) => void): Contract => {
  const copy = structuredClone(contract) as Loose;
  change(copy);
  return copy as Contract;
};

const found = (contract: Contract): string[] =>
  lintContract(contract).map(({ rule, path }) => `${rule} ${path.join('.')}`);

describe('lint', () => {
  it('finds nothing in the contracts that we wrote', () => {
    for (const { contract, ref } of set.all) {
      if (contract.publisher === 'Countersign') expect([ref.id, found(contract)]).toEqual([ref.id, []]);
    }
  });

  it('finds in the published contracts only the gaps that they have', () => {
    expect(found(shippedContract('paypal.refund.completed', '1.0.0'))).toEqual(['weak-binding-suffices correlation']);
    expect(found(shippedContract('square.refund.completed', '1.0.0'))).toEqual([]);
    expect(found(shippedContract('shopify.refund.created', '1.0.0'))).toEqual([
      'opposite-of-none contradicted.0.name',
      'opposite-of-none contradicted.1.name',
    ]);
  });

  it.each<[string, Contract, (copy: Loose) => void, string]>([
    [
      'a VERIFIED condition that no channel can feed',
      paypal,
      (c) => {
        c.verified[0].path = '$bound.refund_id';
      },
      'condition-unfed verified.0.path',
    ],
    [
      'a path into an undeclared channel',
      paypal,
      (c) => {
        c.verified[0].path = '$observed.ledger.id';
        c.verified[0].evidence = 'ledger';
      },
      'path-leads-nowhere verified.0.path',
    ],
    [
      'a need that is no field of the input',
      paypal,
      (c) => {
        c.channels.payment_readback.needs = '$input.order';
      },
      'path-leads-nowhere channels.payment_readback.needs',
    ],
    [
      'evidence that names another channel than the path',
      paypal,
      (c) => {
        c.verified[0].evidence = 'refund_events';
      },
      'evidence-differs verified.0.evidence',
    ],
    [
      'evidence that names no channel',
      paypal,
      (c) => {
        c.verified[0].evidence = 'nobody';
      },
      'evidence-undeclared verified.0.evidence',
    ],
    [
      'a field that event channels do not have',
      paypal,
      (c) => {
        c.verified[4].path = '$observed.refund_events.total';
      },
      'path-leads-nowhere verified.4.path',
    ],
    [
      'a contract that proves money and leaves the amount open',
      paypal,
      (c) => {
        c.verified.splice(1, 1);
      },
      'no-amount-rule verified',
    ],
    [
      'an amount that is held against itself',
      paypal,
      (c) => {
        c.verified[1].expected = c.verified[1].path;
      },
      'no-amount-rule verified',
    ],
    [
      'an amount that is only a bound',
      paypal,
      (c) => {
        Object.assign(c.verified[1], { operator: 'gte', as: 'decimal' });
      },
      'no-amount-rule verified',
    ],
    [
      'a contract that proves money and leaves the currency open',
      shopify,
      (c) => {
        c.verified = c.verified.filter(({ name }: Loose) => name !== 'refund_currency_matches');
      },
      'no-currency-rule verified',
    ],
    [
      'a path into what every object inherits',
      paypal,
      (c) => {
        c.verified[1].path = '$observed.refund_readback.__proto__.value';
      },
      'path-inherited verified.1.path',
    ],
    [
      'an aggregate of what every object inherits',
      shopify,
      (c) => {
        c.verified.find(({ aggregate }: Loose) => aggregate?.op === 'sum').aggregate.of = 'constructor[0].amount';
      },
      `path-inherited verified.${shopify.verified.findIndex(({ aggregate }) => aggregate?.op === 'sum')}.aggregate.of`,
    ],
    [
      'a VERIFIED status that a PENDING rule waits on',
      paypal,
      (c) => {
        c.verified[5].expected = 'PENDING';
      },
      'pending-verifies verified.5.expected',
    ],
    [
      'a choice of VERIFIED statuses with one that a PENDING rule waits on',
      paypal,
      (c) => {
        Object.assign(c.verified[5], { operator: 'in', expected: ['COMPLETED', 'PENDING'] });
      },
      'pending-verifies verified.5.expected',
    ],
    [
      'a VERIFIED status that only leaves out another word',
      paypal,
      (c) => {
        Object.assign(c.verified[5], { operator: 'ne', expected: 'FAILED' });
      },
      'pending-verifies verified.5.expected',
    ],
    [
      'an expectation that the input does not declare',
      paypal,
      (c) => {
        c.verified[1].expected = '$input.sum';
      },
      'path-leads-nowhere verified.1.expected',
    ],
    [
      'an unknown field of the operation',
      paypal,
      (c) => {
        c.verified[3].expected = '$operation.began_at';
      },
      'path-leads-nowhere verified.3.expected',
    ],
    [
      'a guard that leads nowhere',
      shopify,
      (c) => {
        c.contradicted[2].and[0].path = '$observed.nobody.x';
      },
      'path-leads-nowhere contradicted.2.and.0.path',
    ],
    [
      'an amount that is not declared',
      paypal,
      (c) => {
        c.input.amount = '$input.sum';
      },
      'intent-undeclared input.amount',
    ],
    [
      'an amount of another type',
      paypal,
      (c) => {
        c.input.fields.amount.type = 'text';
      },
      'intent-type input.fields.amount.type',
    ],
    [
      'an optional amount',
      paypal,
      (c) => {
        c.input.fields.amount.required = false;
      },
      'intent-optional input.fields.amount.required',
    ],
    [
      'a contradiction that is the opposite of none',
      paypal,
      (c) => {
        c.verified.splice(1, 1);
      },
      'opposite-of-none contradicted.1.name',
    ],
    [
      'a VERIFIED comparison whose opposite nothing contradicts',
      paypal,
      (c) => {
        c.contradicted.splice(1, 1);
      },
      'no-contradiction verified.1.name',
    ],
    [
      'a contradiction that says what VERIFIED needs',
      paypal,
      (c) => {
        c.contradicted[1].operator = 'eq';
      },
      'never-verified contradicted.1',
    ],
    [
      'a level that no channel reaches',
      paypal,
      (c) => {
        c.evidence.minimum_level = 'E3';
        c.verified.splice(4, 1);
      },
      'level-below-minimum evidence.minimum_level',
    ],
    [
      'more channels than there are',
      paypal,
      (c) => {
        c.evidence.minimum_channels = 3;
      },
      'channels-below-minimum evidence.minimum_channels',
    ],
    [
      'a level that its source cannot have',
      paypal,
      (c) => {
        c.channels.refund_readback.level = 'E3';
      },
      'level-misstated channels.refund_readback.level',
    ],
    [
      'a source that its verifier cannot have',
      paypal,
      (c) => {
        c.channels.refund_events.independence = 'provider_readback';
        c.channels.refund_events.level = 'E2';
      },
      'source-misstated channels.refund_events.independence',
    ],
    [
      'a state rule that an earlier one forestalls',
      paypal,
      (c) => {
        c.states[1].match.expected = 'FAILED';
      },
      'rule-unreachable states.1',
    ],
    [
      'a PENDING rule that a later decisive one forestalls',
      paypal,
      (c) => {
        c.states[2].match.expected = 'CANCELLED';
        c.states.reverse();
      },
      'rule-unreachable states.0',
    ],
    [
      'a rule that a list of values covers',
      paypal,
      (c) => {
        c.states[0].match = { ...c.states[0].match, operator: 'in', expected: ['FAILED', 'CANCELLED'] };
      },
      'rule-unreachable states.1',
    ],
    [
      'a rule under a wider bound',
      shopify,
      (c) => {
        c.states[2].verdict = 'PENDING';
        c.states.push({
          ...structuredClone(c.states[1]),
          name: 'again',
          match: { ...structuredClone(c.states[1].match), expected: 2 },
        });
      },
      'rule-unreachable states.3',
    ],
    [
      'a state rule that gives VERIFIED',
      paypal,
      (c) => {
        c.states[0].verdict = 'VERIFIED';
      },
      'rule-verifies states.0.verdict',
    ],
    [
      'a state rule that matches whatever VERIFIED needs',
      paypal,
      (c) => {
        c.states[0].match.expected = 'COMPLETED';
      },
      'never-verified states.0.match',
    ],
    [
      'a class on a rule that contradicts nothing',
      paypal,
      (c) => {
        c.states[0].class = 'rejected';
      },
      'class-without-contradiction states.0.class',
    ],
    [
      'a name used twice',
      paypal,
      (c) => {
        c.states[0].name = 'refund_present';
      },
      'name-repeated states.0.name',
    ],
    [
      'a name that the evaluator uses itself',
      paypal,
      (c) => {
        c.states[0].name = 'withdrawn';
      },
      'name-reserved states.0.name',
    ],
    [
      'a time compared with a word',
      paypal,
      (c) => {
        c.verified[3].expected = 'yesterday';
      },
      'operator-misfit verified.3.expected',
    ],
    [
      'a time compared with an id',
      paypal,
      (c) => {
        c.verified[3].expected = '$operation.id';
      },
      'operator-misfit verified.3.expected',
    ],
    [
      'an order among texts',
      paypal,
      (c) => {
        c.verified[5].operator = 'gt';
      },
      'operator-misfit verified.5.expected',
    ],
    [
      'an order among amounts that are text',
      paypal,
      (c) => {
        c.verified[1].operator = 'gte';
      },
      'operator-misfit verified.1.expected',
    ],
    [
      'a choice among one value',
      paypal,
      (c) => {
        c.states[0].match.operator = 'in';
      },
      'operator-misfit states.0.match.expected',
    ],
    [
      'equality with a list',
      paypal,
      (c) => {
        c.states[0].match.expected = ['FAILED'];
      },
      'operator-misfit states.0.match.expected',
    ],
    [
      'a count that is compared with text',
      paypal,
      (c) => {
        c.verified[4].operator = 'eq';
        c.verified[4].expected = '1';
      },
      'operator-misfit verified.4.expected',
    ],
    [
      'a count that cannot fail',
      paypal,
      (c) => {
        c.verified[4].expected = 0;
      },
      'always-true verified.4.expected',
    ],
    [
      'a sum that is not compared as decimal',
      shopify,
      (c) => {
        delete c.verified[4].as;
      },
      'aggregate-misused verified.4.aggregate',
    ],
    [
      'a sum of nothing',
      shopify,
      (c) => {
        delete c.verified[4].aggregate.of;
      },
      'aggregate-misused verified.4.aggregate',
    ],
    [
      'currencies that are compared with eq',
      shopify,
      (c) => {
        c.verified[3].operator = 'eq';
      },
      'aggregate-misused verified.3.aggregate',
    ],
    [
      'money without its currency',
      shopify,
      (c) => {
        c.verified[4].aggregate = { op: 'money' };
      },
      'aggregate-misused verified.4.aggregate',
    ],
    [
      'a count of a path inside',
      shopify,
      (c) => {
        c.verified[5].aggregate.of = 'amountSet';
      },
      'aggregate-misused verified.5.aggregate',
    ],
    [
      'an aggregate over an event channel',
      paypal,
      (c) => {
        c.verified[4].aggregate = { op: 'count' };
      },
      'aggregate-misused verified.4.aggregate',
    ],
    [
      'an optional channel in VERIFIED',
      paypal,
      (c) => {
        c.channels.refund_readback.optional = true;
      },
      'optional-in-verified verified.0.path',
    ],
    [
      'a contradiction on an optional channel that holds',
      paypal,
      (c) => {
        delete c.contradicted[5].when_unknown;
      },
      'optional-holds contradicted.5',
    ],
    [
      'a channel that nothing reads',
      paypal,
      (c) => {
        c.channels.spare = c.channels.refund_events;
      },
      'channel-unread channels.spare',
    ],
    [
      'strong correlation without a strong strategy',
      paypal,
      (c) => {
        for (const s of c.correlation.strategies) s.assurance = 'weak';
      },
      'no-strong-strategy correlation.strategies',
    ],
    [
      'no rule for a second refund',
      paypal,
      (c) => {
        c.contradicted.splice(4, 2);
      },
      'no-duplicate-rule contradicted',
    ],
    [
      'a delay past the timeout',
      paypal,
      (c) => {
        c.timing.initial_delay_ms = c.timing.timeout_ms;
      },
      'timing timing.initial_delay_ms',
    ],
    [
      'a backoff below the interval',
      paypal,
      (c) => {
        c.timing.backoff_max_ms = 1;
      },
      'timing timing.backoff_max_ms',
    ],
    [
      'a window without attribution',
      paypal,
      (c) => {
        c.evidence.attribution = 'none';
      },
      'timing timing.attribution_window_ms',
    ],
    [
      'attribution without a window',
      paypal,
      (c) => {
        c.timing.attribution_window_ms = 0;
      },
      'timing timing.attribution_window_ms',
    ],
    [
      'an hour of clock skew',
      paypal,
      (c) => {
        c.timing.clock_skew_ms = 3_600_000;
      },
      'timing timing.clock_skew_ms',
    ],
  ])('finds %s', (_what, contract, change, expected) => {
    expect(found(broken(contract, change))).toContain(expected);
  });
});
