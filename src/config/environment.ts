import { readFileSync } from 'node:fs';
import { isPathName } from './named-source.ts';
import type { Setting } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment says about the settings: values by key, and what could not be read, one sentence each. */
export interface FromEnvironment {
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly string[];
}

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** Text that is not of the setting's type stays text: the schema refuses it, and says it better. */
function interpret(text: string, type: Setting['type']): unknown {
  switch (type) {
    case 'text':
      return text;
    case 'number':
      return /^-?\d+$/.test(text.trim()) ? Number(text) : text;
    case 'boolean': {
      const word = text.trim().toLowerCase();
      return TRUE.has(word) ? true : FALSE.has(word) ? false : text;
    }
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
  }
}

/**
 * Reads the settings' variables. An empty variable is one that is not set (compose files and unit files write them so). A
 * secret may instead be in the file that `<NAME>_FILE` names, as container secrets are.
 */
export function fromEnvironment(settings: readonly Setting[], env: Environment): FromEnvironment {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  for (const { key, env: name, type, secret } of settings) {
    const text = env[name];
    const file = secret ? env[`${name}_FILE`] : undefined;
    if (text !== undefined && text !== '') values.set(key, interpret(text, type));
    else if (file !== undefined && file !== '') {
      try {
        values.set(key, interpret(readFileSync(file, 'utf8').replace(/\r?\n$/, ''), type));
      } catch (error) {
        const named = isPathName(file, '.') ? file : 'what it names (not shown: it looks like no path)';
        problems.push(
          `${key} (${name}_FILE): cannot read ${named} (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`,
        );
      }
    }
  }
  return { values, problems };
}
