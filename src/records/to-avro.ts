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
  const [shape, rest] = split(kind === 'webhook.received' ? withBytes(record) : record, AVRO_PLANS[kind]);
  shape[EXTRA_FIELD] = rest === null ? null : printJson(rest);
  return shape;
};

/** The raw body as base64 alone, in the one field that Avro has for it. */
const withBytes = (record: JsonObject): JsonObject => {
  const { body_base64: encoded, body, ...others } = record;
  return {
    ...others,
    body: typeof body === 'string' ? Buffer.from(body, 'utf8').toString('base64') : String(encoded),
  };
};

/** Fields that the plan names, converted; and the others, null where there are none. */
const split = (object: JsonObject, plan: AvroPlan): [Record<string, unknown>, JsonObject | null] => {
  const shape: Record<string, unknown> = {};
  for (const field of Object.keys(plan)) shape[field] = null;
  const rest: Record<string, Json> = {};
  for (const [field, value] of Object.entries(object)) {
    const how = Object.hasOwn(plan, field) ? plan[field] : undefined;
    if (how === undefined) setOwn(rest, field, value);
    else if (typeof how === 'object' && isJsonObject(value)) {
      const [inner, innerRest] = split(value, how);
      shape[field] = inner;
      if (innerRest !== null) rest[field] = innerRest;
    } else if (value !== null) shape[field] = convert(value, how);
  }
  return [shape, Object.keys(rest).length === 0 ? null : rest];
};

const convert = (value: Json, how: FieldPlan): unknown => {
  switch (how) {
    case 'json':
      return printJson(value);
    case 'utf8':
      return Buffer.from(String(value), 'utf8');
    case 'base64':
      return Buffer.from(String(value), 'base64');
    default:
      return value;
  }
};
