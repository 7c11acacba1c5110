import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CLI } from './run-cli.ts';

export interface RunningServe {
  readonly child: ChildProcess;
  /** what it printed on standard output */
  readonly printed: string[];
  /** its log so far, a line each */
  readonly logged: readonly string[];
  /** where it answers */
  readonly address: string;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** A `countersign serve` of its own; resolves when it listens. */
export const startServe = async (args: readonly string[]): Promise<RunningServe> => {
  const child = spawn(process.execPath, [...CLI, 'serve', '--port', '0', '--trust-gateway', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, COUNTERSIGN_DUE_CHECK_MS: '50' },
  });
  const printed: string[] = [];
  const logged: string[] = [];
  const ended = once(child, 'exit');
  if (child.stdout !== null) createInterface(child.stdout).on('line', (line) => printed.push(line));
  const address = await new Promise<string>((resolve, reject) => {
    if (child.stderr === null) return;
    createInterface(child.stderr).on('line', (line) => {
      logged.push(line);
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { address: string }).address);
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}:\n${logged.join('\n')}`)));
  });
  return {
    child,
    printed,
    logged,
    address,
    stop: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
};
