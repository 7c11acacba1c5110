import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './command.mjs';
import { ROOT } from './paths.mjs';

const STAMP = join(ROOT, 'dist', '.built-from');

/** @param {string} folder @returns {string[]} every file under it, absolute, sorted */
function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** A digest of the sources' names, sizes and times: cheap, and a file that was taken away changes it too. */
function sourcesDigest() {
  const hash = createHash('sha256');
  const config = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'].map((name) => join(ROOT, name));
  for (const file of [...filesUnder(join(ROOT, 'src')), ...config]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(ROOT, file)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Whether dist/ was made from the sources as they are. */
export function isBuilt() {
  try {
    return readFileSync(STAMP, 'utf8') === sourcesDigest();
  } catch {
    return false;
  }
}

/**
 * Reads the contracts that come along once, so that no start has to: see src/contracts/prepared.ts.
 * @param {string} made the folder of the build
 */
async function prepareContracts(made) {
  const { contractFiles, SHIPPED_CONTRACTS } = await import(pathToFileURL(join(made, 'contracts', 'load.js')).href);
  const { prepareContracts: prepare } = await import(pathToFileURL(join(made, 'contracts', 'prepared.js')).href);
  const sources = contractFiles(SHIPPED_CONTRACTS).map((/** @type {string} */ file) => readFileSync(file, 'utf8'));
  writeFileSync(join(made, 'contracts', 'prepared.json'), JSON.stringify(prepare(sources)));
}

/**
 * Compiles src/ into dist/ and takes along what the compiler does not copy (Lua scripts). The build is made beside dist/ and
 * put in its place when it is whole, so that a program which runs meanwhile never sees half of one.
 */
export async function build() {
  const digest = sourcesDigest();
  const made = join(ROOT, `dist.${process.pid}`);
  try {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', made], { quiet: true });
    for (const file of filesUnder(join(ROOT, 'src'))) {
      if (file.endsWith('.ts')) continue;
      const target = join(made, relative(join(ROOT, 'src'), file));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
    }
    await prepareContracts(made);
    writeFileSync(join(made, '.built-from'), digest);
    rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
    renameSync(made, join(ROOT, 'dist'));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Builds if the sources are newer than the build. Silent when there is nothing to do. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  process.stderr.write('Building …\n');
  await build();
}
