import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CLI } from '../support/run-cli.ts';

export interface OperatorRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** standard output as JSON lines */
  json<T = Record<string, unknown>>(): T[];
}

/** Runs a command as an operator would, on the servers that `env` names. */
export const operate = async (env: Readonly<Record<string, string>>, args: readonly string[]): Promise<OperatorRun> => {
  const child = spawn(process.execPath, [...CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, NO_COLOR: '1' },
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = Buffer.concat(stdout).toString();
  return {
    code,
    stdout: text,
    stderr: Buffer.concat(stderr).toString(),
    json: <T>() =>
      text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as T),
  };
};
