import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../../scripts/setup/build.mjs';

const BUILT = fileURLToPath(new URL('../../bin/countersign', import.meta.url));
const SOURCES = fileURLToPath(new URL('./cli-entry.ts', import.meta.url));

/** `npm test` has built the program; a test file run by itself may meet an old build, and takes the sources then. */
export const CLI: readonly string[] = isBuilt() ? [BUILT] : ['--import', import.meta.resolve('tsx'), SOURCES];

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in a process of its own. */
export const runCli = async (
  args: readonly string[],
  options: { stdin?: string | Buffer; cwd?: string } = {},
): Promise<CliRun> => {
  const child = spawn(process.execPath, [...CLI, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, NO_COLOR: '1' },
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
};
