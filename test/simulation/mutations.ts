import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTATIONS, type Mutation } from './mutation-list.ts';

/*
 * npx tsx test/simulation/mutations.ts [--seeds K] [NAME…]
 *
 * Proof that the oracle bites: each mutation is a small mistake in a copy of the code, which the harness must find within K
 * seeds (default 300). One that survives is a hole to close, and the exit code is 1.
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

const run = (root: string, seeds: number): Outcome => {
  const args = ['--import', 'tsx', 'test/simulation/main.ts', '--runs', String(seeds), '--brief', '--json'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  const last = lines.at(-1) ?? '';
  // A mutation that makes the code throw is caught too: the pure core may never throw.
  if (!last.startsWith('{'))
    return { isCaught: status !== 0, seeds: 0, rule: stderr.match(/\w*Error: .*/)?.[0] ?? 'threw' };
  const summary: { seeds: number; breaches: number } = JSON.parse(last);
  return { isCaught: summary.breaches > 0, seeds: summary.seeds, rule: lines[0]?.split(' ')[0] ?? '' };
};

const args = process.argv.slice(2);
const given = args.indexOf('--seeds');
const seeds = given === -1 ? 300 : Number(args[given + 1]);
const names = args.filter((_, index) => given === -1 || (index !== given && index !== given + 1));
const chosen = MUTATIONS.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));

process.stdout.write(`${'mutation'.padEnd(46)}${'caught'.padEnd(10)}${'seeds'.padStart(6)}  by\n`);
let survived = 0;
for (const mutation of chosen) {
  const root = copyTree();
  try {
    mutate(root, mutation);
    const { isCaught, seeds: taken, rule } = run(root, seeds);
    if (!isCaught) survived += 1;
    const verdict = isCaught ? 'yes' : 'SURVIVED';
    process.stdout.write(
      `${mutation.name.padEnd(46)}${verdict.padEnd(10)}${String(taken).padStart(6)}  ${isCaught ? rule : '-'}\n`,
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
process.stdout.write(`${chosen.length - survived} of ${chosen.length} caught\n`);
process.exitCode = survived === 0 ? 0 : 1;
