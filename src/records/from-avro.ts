import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json, type JsonObject } from '../evaluator/index.ts';
import { AVRO_PLANS, type AvroPlan, EXTRA_FIELD, type FieldPlan, keepsNulls } from './avro-plan.ts';
import { MAX_JSON_DEPTH, readJsonText } from './json-text.ts';
import { setOwn } from './own-property.ts';
import { rawBody } from './raw-body.ts';
import { describeValue, type Refusal } from './refusal.ts';

/**
 * A decoded Avro record as the JSON value that it stands for. The writer's schema may be any: what does not fit is refused
 * with the field's name, and fields that we do not know are kept. Total.
 */
export const fromAvroShape = (decoded: unknown): { readonly ok: true; readonly value: JsonObject } | Refusal => {
  const reading = new AvroReading();
  const value = reading.record(decoded);
  return reading.refusal ?? { ok: true, value };
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

const planOf = (kind: unknown): AvroPlan =>
  typeof kind === 'string' && Object.hasOwn(AVRO_PLANS, kind) ? AVRO_PLANS[kind as keyof typeof AVRO_PLANS] : {};

/** One record's reading. The first thing that does not fit is kept as the refusal; what is read then is of no use. */
class AvroReading {
  refusal: Refusal | null = null;

  record(decoded: unknown): JsonObject {
    if (!isFields(decoded)) {
      this.#refuse('', 'record', decoded, 'an Avro record');
      return {};
    }
    const { [EXTRA_FIELD]: extra = null, ...fields } = decoded;
    const kind = fields['kind'];
    const record = this.#object(fields, planOf(kind), '', keepsNulls(kind), 0);
    const rest = extra === null ? {} : this.#json(extra, EXTRA_FIELD);
    if (!isJsonObject(rest)) this.#refuse(EXTRA_FIELD, EXTRA_FIELD, rest, 'the JSON text of an object');
    else merge(record, rest);
    return record;
  }

  #object(fields: Fields, plan: AvroPlan, path: string, withNulls: boolean, depth: number): Record<string, Json> {
    const object: Record<string, Json> = {};
    for (const [name, value] of Object.entries(fields)) {
      const how = Object.hasOwn(plan, name) ? plan[name] : undefined;
      const field = path === '' ? name : `${path}.${name}`;
      if (value === null) {
        if (withNulls || how === undefined) setOwn(object, name, null);
      } else if (typeof how === 'object' && isFields(value)) {
        setOwn(object, name, this.#object(value, how, field, withNulls, depth + 1));
      } else if (how === 'raw' && value instanceof Uint8Array) Object.assign(object, rawBody(value));
      else setOwn(object, name, this.#value(value, how, field, depth + 1));
    }
    return object;
  }

  #value(value: unknown, how: FieldPlan | undefined, field: string, depth: number): Json {
    if (how === 'json') return this.#json(value, field);
    if (how === 'utf8') return this.#utf8(value, field);
    return this.#plain(value, field, depth);
  }

  #json(value: unknown, field: string): Json {
    if (typeof value !== 'string') return this.#refuse(field, field, value, 'JSON text');
    const read = readJsonText(value);
    return read.ok ? read.value : this.#refuse(field, field, value, `JSON text (${read.error.message})`);
  }

  #utf8(value: unknown, field: string): Json {
    if (typeof value === 'string') return value;
    if (value instanceof Uint8Array && isUtf8(value)) return bufferOf(value).toString('utf8');
    return this.#refuse(field, field, value, 'UTF-8 bytes');
  }

  /** A value of any Avro type: bytes become base64 text. */
  #plain(value: unknown, field: string, depth: number): Json {
    if (depth > MAX_JSON_DEPTH) return this.#refuse(field, field, value, `nested at most ${MAX_JSON_DEPTH} deep`);
    if (value instanceof Uint8Array) return bufferOf(value).toString('base64');
    if (Array.isArray(value)) return value.map((item, index) => this.#plain(item, `${field}.${index}`, depth + 1));
    if (isFields(value)) return this.#object(value, {}, field, true, depth);
    if (typeof value === 'number' && !Number.isFinite(value))
      return this.#refuse(field, field, value, 'a finite number');
    return value as Json;
  }

  #refuse(field: string, name: string, value: unknown, shouldBe: string): null {
    const was = value instanceof Uint8Array ? `${value.length} bytes` : describeValue(field, value as Json);
    this.refusal ??= {
      ok: false,
      code: 'RECORD_MALFORMED',
      reason: `${name} was ${was}, should be ${shouldBe}`,
      field,
    };
    return null;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Puts back what no field of the schema named. What the schema names is never overwritten. */
const merge = (into: Record<string, Json>, rest: JsonObject): void => {
  for (const [name, value] of Object.entries(rest)) {
    const there = Object.hasOwn(into, name) ? into[name] : undefined;
    if (there === undefined) setOwn(into, name, value);
    else if (isJsonObject(there) && isJsonObject(value)) merge(there as Record<string, Json>, value);
  }
};
