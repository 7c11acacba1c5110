import { isJsonObject, type Json, type PaymentState } from '../../evaluator/index.ts';
import { printJson } from '../../records/json-text.ts';

/** One thing that two states of a payment say differently. */
export interface StateDifference {
  /** dotted path into the payment's state */
  readonly path: string;
  readonly live: string | null;
  readonly rebuilt: string | null;
}

/** Longest text of a value that a difference repeats. */
const SHOWN = 200;

const shown = (value: Json | undefined): string | null =>
  value === undefined ? null : printJson(value).slice(0, SHOWN);

/** A list whose elements name themselves, as an object by those names: an element more is one difference, not all behind it. */
const named = (list: readonly Json[]): Json | null => {
  const names = list.map((item) =>
    isJsonObject(item) ? (item['key'] ?? item['sha256'] ?? item['identity']) : undefined,
  );
  if (names.length === 0 || names.some((name) => typeof name !== 'string') || new Set(names).size !== names.length)
    return null;
  return Object.fromEntries(list.map((item, index) => [String(names[index]), item]));
};

const differences = (path: string, live: Json | undefined, rebuilt: Json | undefined): StateDifference[] => {
  if (Array.isArray(live) && Array.isArray(rebuilt)) {
    const [a, b] = [named(live), named(rebuilt)];
    if (a !== null && b !== null) return differences(path, a, b);
  }
  if (isJsonObject(live) && isJsonObject(rebuilt)) {
    const fields = [...new Set([...Object.keys(live), ...Object.keys(rebuilt)])].sort();
    return fields.flatMap((field) =>
      differences(path === '' ? field : `${path}.${field}`, live[field], rebuilt[field]),
    );
  }
  if (live === rebuilt || (live !== undefined && rebuilt !== undefined && printJson(live) === printJson(rebuilt)))
    return [];
  return [{ path, live: shown(live), rebuilt: shown(rebuilt) }];
};

/**
 * What is compared: all the evidence, and of each operation what was said last. When a revision was published, and through which
 * others it came, depends on when records arrived, and is left out; with it the receipt that seals it.
 */
const comparable = (state: PaymentState): Json => {
  const { evaluateAt: _derived, operations, ...evidence } = state;
  const judged = Object.entries(operations).map(([id, { published, receipt: _receipt, ...operation }]) => {
    const last = published.at(-1);
    if (last === undefined) return [id, { ...operation, last: null }];
    const { revision: _revision, at: _at, reason: _reason, ...said } = last;
    return [id, { ...operation, last: said }];
  });
  return { ...evidence, operations: Object.fromEntries(judged) } as unknown as Json;
};

/** What two states of one payment say differently. @param live null: there is none */
export const compareStates = (live: PaymentState | null, rebuilt: PaymentState | null): StateDifference[] => {
  if (live === null && rebuilt === null) return [];
  if (live === null) return [{ path: '', live: null, rebuilt: 'there is a state' }];
  if (rebuilt === null) return [{ path: '', live: 'there is a state', rebuilt: null }];
  return differences('', comparable(live), comparable(rebuilt));
};
