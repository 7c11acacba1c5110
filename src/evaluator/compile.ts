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
import { type Path, parsePath, parseSegments } from './path.ts';

export interface CompiledAggregate {
  readonly op: Aggregate['op'];
  readonly of: readonly (string | number)[];
  readonly where: readonly { readonly field: readonly (string | number)[]; readonly values: readonly string[] }[];
  readonly currency: Path | string | null;
}

export interface CompiledComparison {
  readonly path: Path;
  readonly aggregate: CompiledAggregate | null;
  readonly operator: Operator;
  readonly expected: { readonly path: Path } | { readonly literal: Json };
  readonly as: NonNullable<Comparison['as']> | null;
  readonly and: readonly CompiledComparison[];
}

export interface CompiledChannel {
  readonly name: string;
  readonly channel: Channel;
  readonly events: EventChannel['events'] | null;
  readonly reads: ReadChannel['reads'] | null;
  readonly volatile: readonly (readonly (string | number)[])[];
  /** without a value at this path nobody can read the channel */
  readonly needs: Path | null;
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

const compileAggregate = (aggregate: Aggregate): CompiledAggregate => ({
  op: aggregate.op,
  of: aggregate.of === undefined ? [] : segments(aggregate.of),
  where: Object.entries(aggregate.where ?? {}).map(([field, values]) => ({ field: segments(field), values })),
  currency:
    aggregate.currency === undefined
      ? null
      : aggregate.currency.startsWith('$')
        ? path(aggregate.currency)
        : aggregate.currency,
});

const compileComparison = (comparison: Comparison): CompiledComparison => ({
  path: path(comparison.path),
  aggregate: comparison.aggregate === undefined ? null : compileAggregate(comparison.aggregate),
  operator: comparison.operator,
  expected: isPathText(comparison.expected) ? { path: path(comparison.expected) } : { literal: comparison.expected },
  as: comparison.as ?? null,
  and: (comparison.and ?? []).map(compileComparison),
});

const compileChannel = (name: string, channel: Channel): CompiledChannel => ({
  name,
  channel,
  events: isEventChannel(channel) ? channel.events : null,
  reads: isEventChannel(channel) ? null : channel.reads,
  volatile: isEventChannel(channel) ? [] : (channel.volatile ?? []).map(segments),
  needs: isEventChannel(channel) || channel.needs === undefined ? null : path(channel.needs),
});

/** Parses every path of a contract that its schema has passed. Throws a TypeError on a path that is none. */
export const compileContract = (contract: Contract, ref: ContractRef): CompiledContract => {
  const identity = Object.values(contract.subject.identity)[0];
  return {
    contract,
    ref,
    channels: new Map(
      Object.entries(contract.channels).map(([name, channel]) => [name, compileChannel(name, channel)]),
    ),
    verified: contract.verified.map((rule) => ({ rule, comparison: compileComparison(rule) })),
    contradicted: contract.contradicted.map((rule) => ({ rule, comparison: compileComparison(rule) })),
    states: contract.states.map((rule) => ({ rule, comparison: compileComparison(rule.match) })),
    identity: identity === undefined ? null : path(identity),
    paymentId: path(contract.input.payment_id),
    amount: path(contract.input.amount),
    currency: contract.input.currency === null ? null : path(contract.input.currency),
    echoes: contract.correlation.strategies
      .filter((one) => one.assurance === 'strong' && (one.strategy === 'echo' || one.strategy === 'idempotency_key'))
      .flatMap((one) => Object.values(one.keys).map((key) => ({ path: path(key), strategy: one.strategy }))),
  };
};
