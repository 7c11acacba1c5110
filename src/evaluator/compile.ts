import type {
  Aggregate,
  Channel,
  Comparison,
  Contract,
  ContractRef,
  ContradictedCondition,
  EventChannel,
  Operator,
  ProviderName,
  ReadChannel,
  StateRule,
  VerifiedCondition,
} from './contract.ts';
import { isEventChannel } from './contract.ts';
import type { Json } from './json.ts';
import { isWithin, type Path, parsePath, parseSegments } from './path.ts';
import type { Seen } from './seen.ts';

export interface CompiledAggregate {
  readonly op: Aggregate['op'];
  readonly of: readonly (string | number)[];
  readonly where: readonly { readonly field: readonly (string | number)[]; readonly values: readonly string[] }[];
  readonly currency: Lookup | string | null;
}

/** A path of a contract. Paths of one text share a slot, so that an evaluation looks each up once. */
export interface Lookup {
  readonly path: Path;
  readonly slot: number;
  /** of a path of `$observed`, where the contract declares it */
  readonly channel: CompiledChannel | null;
  /** whether a lagging read may show wrongly what stands there */
  readonly isVolatile: boolean;
}

export interface CompiledComparison {
  readonly path: Path;
  readonly observed: Lookup;
  readonly aggregate: CompiledAggregate | null;
  readonly operator: Operator;
  readonly expected: { readonly path: Path; readonly lookup: Lookup } | { readonly literal: Json; readonly seen: Seen };
  readonly as: NonNullable<Comparison['as']> | null;
  readonly and: readonly CompiledComparison[];
}

export interface CompiledChannel {
  readonly name: string;
  /** its place among the contract's channels */
  readonly index: number;
  readonly channel: Channel;
  readonly events: EventChannel['events'] | null;
  readonly reads: ReadChannel['reads'] | null;
  readonly volatile: readonly (readonly (string | number)[])[];
  /** without a value at this path nobody can read the channel */
  readonly needs: Lookup | null;
}

export interface CompiledRule<Rule> {
  readonly rule: Rule;
  readonly comparison: CompiledComparison;
}

/** A contract with its paths parsed once. */
export interface CompiledContract {
  readonly contract: Contract;
  readonly ref: ContractRef;
  readonly channels: ReadonlyMap<string, CompiledChannel>;
  readonly verified: readonly CompiledRule<VerifiedCondition>[];
  readonly contradicted: readonly CompiledRule<ContradictedCondition>[];
  readonly states: readonly CompiledRule<StateRule>[];
  /** how many different paths its rules look up */
  readonly slots: number;
  /** where the refund's id stands in the action's result: the first identity path */
  readonly identity: Path | null;
  /** where the input names the payment */
  readonly paymentId: Path;
  readonly amount: Path;
  readonly currency: Path | null;
  /** values the caller chose and the provider may print on the refund: strong, but from the caller's side */
  readonly echoes: readonly { readonly path: Path; readonly strategy: string }[];
}

/** The contracts a process runs with. */
export interface ContractSet {
  readonly all: readonly CompiledContract[];
  /** The exact version. */
  find(id: string, version: string): CompiledContract | null;
  /** The named version, or the newest in effect at `createdAtMs`. */
  resolve(id: string, version: string | null, createdAtMs: number): CompiledContract | null;
  ofProvider(provider: ProviderName): readonly CompiledContract[];
}

const path = (text: string): Path => {
  const parsed = parsePath(text);
  if ('problem' in parsed) throw new TypeError(`${text}: ${parsed.problem}`);
  return parsed;
};

const segments = (text: string): readonly (string | number)[] => {
  const parsed = parseSegments(text);
  if (parsed === null) throw new TypeError(`${text}: a path is names joined by dots, with [0] indexes`);
  return parsed;
};

const isPathText = (value: Json): value is string => typeof value === 'string' && value.startsWith('$');

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The paths of one contract, each text once. */
class Lookups {
  readonly channels = new Map<string, CompiledChannel>();
  readonly #byText = new Map<string, Lookup>();

  constructor(channels: Contract['channels']) {
    const needs: [Writable<CompiledChannel>, string][] = [];
    for (const [name, channel] of Object.entries(channels)) {
      const compiled = compileChannel(name, this.channels.size, channel);
      this.channels.set(name, compiled);
      if (!isEventChannel(channel) && channel.needs !== undefined) needs.push([compiled, channel.needs]);
    }
    // A path may lead through any channel: all must be there first.
    for (const [channel, text] of needs) channel.needs = this.of(text);
  }

  get size(): number {
    return this.#byText.size;
  }

  of(text: string): Lookup {
    const held = this.#byText.get(text);
    if (held !== undefined) return held;
    const parsed = path(text);
    const channel = parsed.root === 'observed' ? (this.channels.get(parsed.channel) ?? null) : null;
    const isVolatile = channel?.volatile.some((prefix) => isWithin(parsed.segments, prefix)) ?? false;
    const lookup = { path: parsed, slot: this.#byText.size, channel, isVolatile };
    this.#byText.set(text, lookup);
    return lookup;
  }
}

const compileAggregate = (aggregate: Aggregate, lookups: Lookups): CompiledAggregate => ({
  op: aggregate.op,
  of: aggregate.of === undefined ? [] : segments(aggregate.of),
  where: Object.entries(aggregate.where ?? {}).map(([field, values]) => ({ field: segments(field), values })),
  currency:
    aggregate.currency === undefined
      ? null
      : aggregate.currency.startsWith('$')
        ? lookups.of(aggregate.currency)
        : aggregate.currency,
});

const compileExpected = (expected: Json, lookups: Lookups): CompiledComparison['expected'] => {
  if (!isPathText(expected)) return { literal: expected, seen: { kind: 'value', value: expected, isSuspect: false } };
  const lookup = lookups.of(expected);
  return { path: lookup.path, lookup };
};

const compileComparison = (comparison: Comparison, lookups: Lookups): CompiledComparison => {
  const observed = lookups.of(comparison.path);
  return {
    path: observed.path,
    observed,
    aggregate: comparison.aggregate === undefined ? null : compileAggregate(comparison.aggregate, lookups),
    operator: comparison.operator,
    expected: compileExpected(comparison.expected, lookups),
    as: comparison.as ?? null,
    and: (comparison.and ?? []).map((further) => compileComparison(further, lookups)),
  };
};

const compileChannel = (name: string, index: number, channel: Channel): CompiledChannel => ({
  name,
  index,
  channel,
  events: isEventChannel(channel) ? channel.events : null,
  reads: isEventChannel(channel) ? null : channel.reads,
  volatile: isEventChannel(channel) ? [] : (channel.volatile ?? []).map(segments),
  needs: null,
});

/** Parses every path of a contract that its schema has passed. Throws a TypeError on a path that is none. */
export const compileContract = (contract: Contract, ref: ContractRef): CompiledContract => {
  const identity = Object.values(contract.subject.identity)[0];
  const lookups = new Lookups(contract.channels);
  const compileRules = <Rule>(rules: readonly Rule[], comparisonOf: (rule: Rule) => Comparison): CompiledRule<Rule>[] =>
    rules.map((rule) => ({ rule, comparison: compileComparison(comparisonOf(rule), lookups) }));
  return {
    contract,
    ref,
    channels: lookups.channels,
    verified: compileRules(contract.verified, (rule) => rule),
    contradicted: compileRules(contract.contradicted, (rule) => rule),
    states: compileRules(contract.states, (rule) => rule.match),
    slots: lookups.size,
    identity: identity === undefined ? null : path(identity),
    paymentId: path(contract.input.payment_id),
    amount: path(contract.input.amount),
    currency: contract.input.currency === null ? null : path(contract.input.currency),
    echoes: contract.correlation.strategies
      .filter((one) => one.assurance === 'strong' && (one.strategy === 'echo' || one.strategy === 'idempotency_key'))
      .flatMap((one) => Object.values(one.keys).map((key) => ({ path: path(key), strategy: one.strategy }))),
  };
};
