import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((name) => name !== '' && name !== 'test/unit/docs/tracked-files.test.ts' && name !== 'LICENSE');

/** `file:line` of each line that one of the patterns finds, in files that `allowed` does not name. */
function found(patterns: readonly RegExp[], allowed: readonly string[] = []): string[] {
  return tracked.flatMap((name) => {
    if (allowed.includes(name)) return [];
    let text: string;
    try {
      text = readFileSync(join(ROOT, name), 'utf8');
    } catch {
      return []; // Deleted and not yet committed.
    }
    if (text.includes('\0')) return [];
    return text
      .split('\n')
      .flatMap((line, index) =>
        patterns.some((pattern) => pattern.test(line)) ? [`${name}:${index + 1}: ${line.trim().slice(0, 100)}`] : [],
      );
  });
}

test('no tracked file holds a path of somebody’s machine', () => {
  expect(found([/(^|[^A-Za-z0-9._~/-])\/(root|work|home\/\w+|Users\/\w+)(\/|$)/, /[A-Z]:\\Users\\/])).toEqual([]);
});

test('no tracked file leads out of the project, but for the CI script’s optional vectors', () => {
  expect(found([/\.\.\/shared\b/], ['.ci/run'])).toEqual([]);
});

test('no tracked file names a package registry: which one is used is the machine’s business', () => {
  expect(
    found([/registry\.npmjs\.org|registry\.yarnpkg\.com|repo1?\.maven\.(org|apache\.org)|repo\.maven\.apache\.org/]),
  ).toEqual([]);
});

test('package-lock.json names versions and digests, not addresses', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
  };
  const addressed = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
  expect(addressed.map(([name]) => name)).toEqual([]);
  const undigested = Object.entries(packages).filter(([name, { integrity }]) => name !== '' && integrity === undefined);
  expect(undigested.map(([name]) => name)).toEqual([]);
});
