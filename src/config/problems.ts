import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { Setting } from './settings.ts';

/** `a.b[0].c` */
function keyText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[part];
  }
  return found;
}

/** A value as an error may show it: short, never a secret, never the credentials of a URL. */
export function shown(value: unknown, secret: boolean): string {
  if (value === undefined) return 'nothing';
  if (secret) return '(hidden)';
  const text = JSON.stringify(value) ?? String(value);
  const safe = text.replace(/(\/\/)[^/@\s"]*@/g, '$1(hidden)@');
  return safe.length > 80 ? `${safe.slice(0, 77)}…` : safe;
}

/** One sentence an issue: the key, where it can be set, what it got and what it wants. */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  settings: readonly Setting[],
): string[] {
  const known = settings.map(({ key }) => key);
  return issues.flatMap((issue) => {
    const key = keyText(issue.path);
    const setting = settings.find(
      (candidate) =>
        key === candidate.key || key.startsWith(`${candidate.key}.`) || key.startsWith(`${candidate.key}[`),
    );
    if (issue.code === 'unrecognized_keys') {
      const siblings = [
        ...new Set(
          known
            .filter((name) => key === '' || name.startsWith(`${key}.`))
            .map((name) => name.slice(key === '' ? 0 : key.length + 1).split('.')[0] ?? ''),
        ),
      ];
      return issue.keys.map((name) => {
        const full = key === '' ? name : `${key}.${name}`;
        const close = nearest(name, siblings);
        return `${full}: no such key${close === null ? '' : `; is ${key === '' ? close : `${key}.${close}`} meant?`}`;
      });
    }
    const got = shown(valueAt(input, issue.path), setting?.secret === true);
    const env = setting !== undefined && setting.key === key ? ` (${setting.env})` : '';
    const together = issue.code === 'custom' && issue.params?.['together'] === true;
    const wants = together || setting === undefined || setting.key !== key ? issue.message : setting.wants;
    return [`${key}${env}: got ${got}, wants ${wants}`];
  });
}
