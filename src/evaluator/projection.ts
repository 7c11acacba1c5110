import type { CompiledComparison, CompiledContract } from './compile.ts';
import type { Json, JsonObject } from './json.ts';
import { isJsonObject } from './json.ts';

/** At most this many elements of a list are kept in a projected answer. */
export const MAX_LIST = 250;

/** The fields to keep, as a tree. A list keeps the same fields of each element; `true` keeps the value whole. */
interface Kept {
  [field: string]: Kept | true;
}

/** Picks out of a provider's answer what the contracts read; the rest is gone, its digest stays. */
export interface Projection {
  read(channel: string, body: JsonObject): JsonObject;
  action(result: JsonObject): JsonObject;
}

const keep = (tree: Kept, names: readonly string[]): void => {
  let node = tree;
  for (const [index, name] of names.entries()) {
    if (index === names.length - 1) {
      node[name] = true;
      return;
    }
    const below = node[name];
    if (below === true) return;
    const next: Kept = below ?? Object.create(null);
    node[name] = next;
    node = next;
  }
};

const pick = (value: Json, tree: Kept | true): Json => {
  if (tree === true) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).slice(0, MAX_LIST).map((element) => pick(element, tree));
  if (!isJsonObject(value)) return value;
  const picked: Record<string, Json> = {};
  for (const field in tree) {
    const below = tree[field];
    if (below !== undefined && Object.hasOwn(value, field)) picked[field] = pick(value[field] as Json, below);
  }
  return picked;
};

const names = (segments: readonly (string | number)[]): string[] =>
  segments.filter((segment): segment is string => typeof segment === 'string');

const eachComparison = function* (comparison: CompiledComparison): Generator<CompiledComparison> {
  yield comparison;
  for (const further of comparison.and) yield* eachComparison(further);
};

/** What every contract of a provider reads, so that an answer may arrive before its operation. */
export const projectionFor = (contracts: readonly CompiledContract[]): Projection => {
  const reads: { [channel: string]: Kept } = Object.create(null);
  const actions: Kept = Object.create(null);
  for (const compiled of contracts) {
    if (compiled.identity?.root === 'action') keep(actions, names(compiled.identity.segments).slice(1));
    const comparisons = [...compiled.verified, ...compiled.contradicted, ...compiled.states].flatMap(
      ({ comparison }) => [...eachComparison(comparison)],
    );
    for (const { path, aggregate, expected } of comparisons) {
      const paths = 'path' in expected ? [path, expected.path] : [path];
      for (const one of paths) {
        const inside = names(one.segments);
        if (one.root === 'action' && inside[0] === 'result') keep(actions, inside.slice(1));
        if (one.root !== 'observed' || one.channel === null) continue;
        const tree: Kept = reads[one.channel] ?? Object.create(null);
        reads[one.channel] = tree;
        const elements =
          aggregate === null ? [] : [names(aggregate.of), ...aggregate.where.map((where) => names(where.field))];
        const deep = elements.filter((element) => element.length > 0);
        if (one === path && deep.length > 0) for (const element of deep) keep(tree, [...inside, ...element]);
        else if (inside.length > 0) keep(tree, inside);
      }
    }
  }
  return {
    read: (channel, body) => pick(body, reads[channel] ?? {}) as JsonObject,
    action: (result) => pick(result, actions) as JsonObject,
  };
};
