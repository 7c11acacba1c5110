import { isInlineKeySet } from './receipts.ts';
import { type Config, configSchema } from './schema.ts';
import { settingsOf } from './settings.ts';

/** Below these names, in endpoints, accounts, seal keys and API keys, every text is a secret. */
const SECRET_NAMES = new Set([
  'secret',
  'secrets',
  'signature_keys',
  'value',
  'hash',
  'client_secret',
  'access_token',
  'secret_key',
]);

function textsBelow(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    // Validity instants beside a secret's value are no secrets, and would blank out times everywhere.
    if (name === 'from' || name === 'to') return [];
    return textsBelow(child, isSecret || SECRET_NAMES.has(name));
  });
}

/** The private parts of an inline key set; the path of one is no secret, and the log must name it. */
function keySetSecrets(value: unknown): string[] {
  if (typeof value !== 'string' || !isInlineKeySet(value)) return [];
  return [value, ...[...value.matchAll(/"d"\s*:\s*"([^"]+)"/g)].flatMap(([, text]) => text ?? [])];
}

/** Every secret that the configuration holds, for the log to blank out: passwords, keys, the credentials of URLs. */
export function secretsOf(config: Config): readonly string[] {
  const found = settingsOf(configSchema).flatMap(({ key, secret }) => {
    const value = key
      .split('.')
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], config);
    if (key === 'receipts.keys') return keySetSecrets(value);
    if (secret) return textsBelow(value, typeof value === 'string');
    if (typeof value !== 'string' || !URL.canParse(value)) return [];
    const { password } = new URL(value);
    return [password, decodeURIComponent(password)];
  });
  return [...new Set(found)].filter((text) => text !== '');
}
