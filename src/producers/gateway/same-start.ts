import type { Json } from '../../evaluator/index.ts';
import type { KnownStart } from '../../ports/operation-lookup.ts';
import type { OperationStarted } from '../../records/index.ts';

/** Whether two JSON values say the same, whatever the order of their members. */
const isSameJson = (a: Json | undefined, b: Json | undefined): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, Json>>;
  const right = b as Readonly<Record<string, Json>>;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameJson(left[name], right[name]))
  );
};

export const startOf = (record: OperationStarted): KnownStart => ({
  contract: { id: record.contract.id, version: record.contract.version ?? null },
  input: record.input,
  idempotencyKey: record.idempotency_key ?? record.operation_id,
  handoff: record.handoff ?? null,
  createdAt: record.created_at,
});

/**
 * The fields in which a second start of an operation's id differs from the first: empty where it says the same. `created_at` does
 * not count (the earliest stands), nor does a version that one of them leaves open.
 */
export const differingFields = (first: KnownStart, second: KnownStart): readonly string[] => {
  const versions = [first.contract.version, second.contract.version];
  const isOtherContract =
    first.contract.id !== second.contract.id || (!versions.includes(null) && versions[0] !== versions[1]);
  const inputs = [...new Set([...Object.keys(first.input), ...Object.keys(second.input)])];
  return [
    ...(isOtherContract ? ['contract'] : []),
    ...inputs.filter((name) => !isSameJson(first.input[name], second.input[name])).map((name) => `input.${name}`),
    ...(first.idempotencyKey === second.idempotencyKey ? [] : ['idempotency_key']),
    ...(first.handoff === second.handoff ? [] : ['handoff']),
  ];
};
