import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from './environment.ts';

export interface ReferenceSources {
  readonly env: Environment;
  /** relative `{ file: … }` paths count from here: the config file's folder */
  readonly folder: string;
}

function isReference(value: object, kind: 'env' | 'file'): value is Record<typeof kind, string> {
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === kind && typeof entries[0][1] === 'string';
}

/**
 * Puts in the place of each `{ env: NAME }` and `{ file: PATH }` what it names, anywhere in `value`. A file's last line break is
 * not part of a secret. What cannot be found goes to `problems`, by key; the value is then left out.
 */
export function resolveReferences(value: unknown, sources: ReferenceSources, problems: string[], key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((element, index) => resolveReferences(element, sources, problems, `${key}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isReference(value, 'env')) {
    const found = sources.env[value.env];
    if (found === undefined || found === '') problems.push(`${key}: the environment variable ${value.env} is not set`);
    return found === '' ? undefined : found;
  }
  if (isReference(value, 'file')) {
    try {
      return readFileSync(resolve(sources.folder, value.file), 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`${key}: cannot read the file ${value.file}: ${(error as Error).message}`);
      return undefined;
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      resolveReferences(child, sources, problems, key === '' ? name : `${key}.${name}`),
    ]),
  );
}
