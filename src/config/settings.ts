import { z } from 'zod';
import { type SettingMeta, settingMetaOf } from './setting.ts';

/** One leaf of the config schema. */
export interface Setting extends SettingMeta {
  /** like `kafka.sasl.mechanism` */
  readonly key: string;
  readonly type: 'text' | 'number' | 'boolean' | 'list' | 'json';
  /** undefined where there is none */
  readonly default: unknown;
}

interface Unwrapped {
  readonly schema: z.ZodType;
  readonly default: unknown;
}

/** Takes off `.default()`, `.prefault()` and `.optional()`. */
function unwrap(schema: z.ZodType): Unwrapped {
  if (schema instanceof z.ZodDefault) {
    const inner = unwrap(schema.def.innerType as z.ZodType);
    return { schema: inner.schema, default: schema.def.defaultValue };
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault)
    return unwrap(schema.def.innerType as z.ZodType);
  return { schema, default: undefined };
}

function typeOf(schema: z.ZodType): Setting['type'] {
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return schema.def.element instanceof z.ZodString ? 'list' : 'json';
  return 'text';
}

/** Every setting that the schema has, in its order. A leaf without {@link setting}'s mark is a mistake in the schema. */
export function settingsOf(schema: z.ZodType, path: readonly string[] = []): readonly Setting[] {
  const meta = settingMetaOf(schema);
  const { schema: inner, default: defaultValue } = unwrap(schema);
  if (meta !== undefined) return [{ ...meta, key: path.join('.'), type: typeOf(inner), default: defaultValue }];
  if (!(inner instanceof z.ZodObject)) throw new TypeError(`config schema: ${path.join('.')} is not described`);
  return Object.entries(inner.shape).flatMap(([name, child]) => settingsOf(child as z.ZodType, [...path, name]));
}
