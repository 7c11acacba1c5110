import { shown } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import { settingsOf } from './settings.ts';

/**
 * The configuration as it may be printed and logged at start: every key with its value, secrets as `(hidden)`, credentials in
 * URLs as well. Keys that are not set are left out.
 */
export function describeConfig(config: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settingsOf(configSchema).flatMap(({ key, secret, type }) => {
      const value = key
        .split('.')
        .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], config);
      if (value === undefined) return [];
      if (type === 'list' && Array.isArray(value)) return [[key, value.join(', ')]];
      if (secret && Array.isArray(value)) return [[key, value.length === 0 ? 'none' : `${value.length} (hidden)`]];
      const text = shown(value, secret === true);
      return [[key, typeof value === 'string' ? text.replace(/^"|"$/g, '') : text]];
    }),
  );
}
