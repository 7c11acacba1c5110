import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CLI } from '../support/run-cli.ts';

/** A `countersign gateway` of its own. */
export interface GatewayProcess {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  readonly address: string;
  /** Ends it, and resolves with the exit code or the signal. */
  stop(signal: NodeJS.Signals): Promise<number | string | null>;
}

/** Resolves when it listens. */
export const startGatewayProcess = async (env: Readonly<Record<string, string>>): Promise<GatewayProcess> => {
  const child = spawn(process.execPath, [...CLI, 'gateway', '--port', '0'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    const hear = (line: string): void => {
      lines.push(line);
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { address: string }).address);
    };
    createInterface(child.stdout).on('line', hear);
    createInterface(child.stderr).on('line', hear);
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}:\n${lines.join('\n')}`)));
  });
  return {
    child,
    lines,
    address,
    stop: async (signal) => {
      child.kill(signal);
      const [code, killedBy] = (await ended) as [number | null, string | null];
      return killedBy ?? code;
    },
  };
};
