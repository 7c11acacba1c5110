import { isJsonObject, type Json, type JsonObject } from '../evaluator/index.ts';
import { AVRO_PLANS, type AvroPlan, EXTRA_FIELD, type FieldPlan, type RecordKind } from './avro-plan.ts';
import { printJson } from './json-text.ts';
import { setOwn } from './own-property.ts';

/** What an Avro encoder takes for one record: fields by name, bytes as buffers. */
export type AvroShape = Readonly<Record<string, unknown>>;

/**
 * A record in the shape of its Avro schema. Nothing is lost: fields that the schema does not name, at any depth, travel in
 * `extra`. `record` has been parsed, so its fields have the types that its kind's schema says.
 */
export const toAvroShape = (kind: RecordKind, record: JsonObject): AvroShape => {
  if (kind !== 'webhook.received') return shapeOf(kind, record);
  const { body_base64: encoded, ...fields } = record;
  const shape = shapeOf(kind, fields);
  return typeof encoded === 'string' ? { ...shape, body: Buffer.from(encoded, 'base64') } : shape;
};

const shapeOf = (kind: RecordKind, record: JsonObject): AvroShape => {
  const [shape, rest] = split(record, AVRO_PLANS[kind]);
  shape[EXTRA_FIELD] = rest === null ? null : printJson(rest);
  return shape;
};

type PlannedField = readonly [field: string, how: FieldPlan];

/** A plan's fields, listed once: verdicts are many, and each has half a dozen plans. */
const FIELDS = new WeakMap<AvroPlan, readonly PlannedField[]>();

const fieldsOf = (plan: AvroPlan): readonly PlannedField[] => {
  const known = FIELDS.get(plan);
  if (known !== undefined) return known;
  const fields = Object.entries(plan);
  FIELDS.set(plan, fields);
  return fields;
};

/** Fields that the plan names, converted; and the others, null where there are none. */
const split = (object: JsonObject, plan: AvroPlan): [Record<string, unknown>, JsonObject | null] => {
  const shape: Record<string, unknown> = {};
  let rest: Record<string, Json> | null = null;
  let named = 0;
  for (const [field, how] of fieldsOf(plan)) {
    const isThere = Object.hasOwn(object, field);
    const value = isThere ? object[field] : null;
    if (isThere) named += 1;
    if (value === null || value === undefined) shape[field] = null;
    else if (typeof how === 'object' && isJsonObject(value)) {
      const [inner, innerRest] = split(value, how);
      shape[field] = inner;
      if (innerRest !== null) {
        rest ??= {};
        rest[field] = innerRest;
      }
    } else shape[field] = convert(value, how);
  }
  // Nearly always the schema names them all.
  if (Object.keys(object).length > named) {
    rest ??= {};
    for (const [field, value] of Object.entries(object)) if (!Object.hasOwn(plan, field)) setOwn(rest, field, value);
  }
  return [shape, rest];
};

const convert = (value: Json, how: FieldPlan): unknown => {
  switch (how) {
    case 'json':
      return printJson(value);
    case 'utf8':
    case 'raw':
      return Buffer.from(String(value), 'utf8');
    default:
      return value;
  }
};
