import type { z } from 'zod';

/** What the schema says about one key besides its type: enough for the environment, the errors and the reference page. */
export interface SettingMeta {
  /** the environment variable that overrides the file */
  readonly env: string;
  /** what a right value is, to end the sentence "… wants" */
  readonly wants: string;
  /** what it is for, one sentence */
  readonly doc: string;
  /** its value is never printed */
  readonly secret?: boolean;
}

/** Marks a leaf of the config schema. Goes last, after `.default()` and `.optional()`. */
export function setting<S extends z.ZodType>(schema: S, meta: SettingMeta): S {
  return schema.meta({ setting: meta });
}

/** The mark that {@link setting} left, if this is a leaf. */
export function settingMetaOf(schema: z.ZodType): SettingMeta | undefined {
  return schema.meta()?.['setting'] as SettingMeta | undefined;
}
