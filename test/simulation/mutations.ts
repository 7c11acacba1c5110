import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HOUSE_MUTATIONS } from './house-mutation-list.ts';
import { MUTATIONS, type Mutation } from './mutation-list.ts';

/*
 * npx tsx test/simulation/mutations.ts [--core K] [--house K] [NAME…]
 *
 * Proof that the oracle bites: each mutation is a small mistake in a copy of the code, which the simulator must find within K
 * seeds (0: leave these out): those of admission and reducer in worlds without a house (default 300), the others in a house
 * (default 120). One that survives is a hole to close, and the exit code is 1.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src', 'contracts', 'test/simulation', 'test/support', 'package.json', 'tsconfig.json'];

interface Outcome {
  readonly isCaught: boolean;
  readonly seeds: number;
  readonly rule: string;
}

const copyTree = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'mutation-'));
  for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
};

const mutate = (root: string, { name, file, from, to }: Mutation): void => {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const count = text.split(from).length - 1;
  if (count !== 1)
    throw new Error(`${name}: ${file} has its text ${count} times, should be once; bring the list up to date`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
};

interface Harness {
  readonly mutations: readonly Mutation[];
  readonly seeds: number;
  readonly flags: readonly string[];
}

const run = (root: string, { seeds, flags }: Harness): Outcome => {
  const given = ['--runs', String(seeds), '--brief', '--json', ...flags];
  const args = ['--import', 'tsx', 'test/simulation/main.ts', ...given];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  const last = lines.at(-1) ?? '';
  // A mutation that makes the code throw is caught too: the pure core may never throw.
  if (!last.startsWith('{'))
    return { isCaught: status !== 0, seeds: 0, rule: stderr.match(/\w*Error: .*/)?.[0] ?? 'threw' };
  const summary: { seeds: number; breaches: number } = JSON.parse(last);
  return { isCaught: summary.breaches > 0, seeds: summary.seeds, rule: lines[0]?.split(' ')[0] ?? '' };
};

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { core: { type: 'string', default: '300' }, house: { type: 'string', default: '120' } },
});
const harnesses: readonly Harness[] = [
  { mutations: MUTATIONS, seeds: Number(values.core), flags: ['--core'] },
  { mutations: HOUSE_MUTATIONS, seeds: Number(values.house), flags: [] },
];

const line = (name: string, caught: string, taken: string, rule: string): void => {
  process.stdout.write(`${name.padEnd(54)}${caught.padEnd(10)}${taken.padStart(6)}  ${rule}\n`);
};

const tryOut = (harness: Harness, mutation: Mutation): boolean => {
  const root = copyTree();
  try {
    mutate(root, mutation);
    const { isCaught, seeds, rule } = run(root, harness);
    line(mutation.name, isCaught ? 'yes' : 'SURVIVED', String(seeds), isCaught ? rule : '-');
    return isCaught;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

line('mutation', 'caught', 'seeds', 'by');
let [chosen, survived] = [0, 0];
for (const harness of harnesses)
  for (const mutation of harness.mutations) {
    if (harness.seeds === 0 || (names.length > 0 && !names.some((part) => mutation.name.includes(part)))) continue;
    chosen += 1;
    if (!tryOut(harness, mutation)) survived += 1;
  }
process.stdout.write(`${chosen - survived} of ${chosen} caught\n`);
process.exitCode = survived === 0 ? 0 : 1;
