import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Problem } from '../problem.ts';
import { problemsOf, readYaml } from '../read-contract.ts';
import { type Case, caseSchema } from './format.ts';

export interface CaseFile {
  readonly file: string;
  readonly story: Case;
}

const isYaml = (name: string): boolean => name.endsWith('.yaml') || name.endsWith('.yml');

const inFolder = (folder: string, isCases: boolean): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = join(folder, entry.name);
      if (entry.isDirectory()) return inFolder(child, isCases || entry.name === 'cases');
      return isCases && isYaml(entry.name) ? [child] : [];
    });

/** Case files: a file is itself, a folder gives every YAML file in a `cases` folder in or under it. */
export const caseFiles = (path: string): string[] => {
  if (statSync(path).isFile()) return basename(dirname(path)) === 'cases' ? [path] : inFolder(dirname(path), false);
  return inFolder(path, basename(path) === 'cases');
};

/** Reads case files. Problems of all files come back together. */
export const readCases = (
  paths: readonly string[],
): { readonly cases: readonly CaseFile[]; readonly problems: readonly Problem[] } => {
  const cases: CaseFile[] = [];
  const problems: Problem[] = [];
  for (const file of new Set(paths.flatMap(caseFiles))) {
    const yaml = readYaml(readFileSync(file, 'utf8'), file);
    problems.push(...yaml.problems);
    if (yaml.problems.length > 0) continue;
    const parsed = caseSchema.safeParse(yaml.value);
    if (parsed.success) cases.push({ file, story: parsed.data });
    else problems.push(...problemsOf(parsed.error.issues, yaml, file));
  }
  return { cases, problems };
};
