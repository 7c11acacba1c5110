import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from './environment.ts';
import { isPathName, isVariableName } from './named-source.ts';

export interface ReferenceSources {
  readonly env: Environment;
  /** relative `{ file: … }` paths count from here: the config file's folder */
  readonly folder: string;
}

function unset(name: string): string {
  return isVariableName(name)
    ? `the environment variable ${name} is not set`
    : '{ env: … } holds no name of a variable (not shown), should be one, e.g. STRIPE_SECRET: letters A-Z, digits and _';
}

function unreadable(path: string, folder: string, error: NodeJS.ErrnoException): string {
  return isPathName(path, folder)
    ? `cannot read the file ${path} (${error.code ?? 'unreadable'})`
    : '{ file: … } holds no path of a file that is there (not shown), should be one, relative to the configuration file';
}

function isReference(value: object, kind: 'env' | 'file'): value is Record<typeof kind, string> {
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0]?.[0] === kind && typeof entries[0][1] === 'string';
}

/**
 * Puts in the place of each `{ env: NAME }` and `{ file: PATH }` what it names, anywhere in `value`. A file's last line break is
 * not part of a secret. What cannot be found goes to `problems`, by key; the value is then left out. A name that may well be
 * the secret itself, put there by mistake, is not repeated.
 */
export function resolveReferences(value: unknown, sources: ReferenceSources, problems: string[], key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((element, index) => resolveReferences(element, sources, problems, `${key}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isReference(value, 'env')) {
    const found = sources.env[value.env];
    if (found === undefined || found === '') problems.push(`${key}: ${unset(value.env)}`);
    return found === '' ? undefined : found;
  }
  if (isReference(value, 'file')) {
    try {
      return readFileSync(resolve(sources.folder, value.file), 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`${key}: ${unreadable(value.file, sources.folder, error as NodeJS.ErrnoException)}`);
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
