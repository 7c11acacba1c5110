import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpuSecondsOf, peakBytesOf } from '../core/sampled-child.ts';
import { type Deployment, PROGRAM, ROOT } from './deployment.ts';

/** A consumer in a process of its own. */
export interface RunningConsumer {
  readonly name: string;
  /** records it has applied so far */
  consumed(): Promise<number>;
  cpuSeconds(): number;
  peakBytes(): number;
  /** why it does not go on, where it can tell */
  trouble?(): Promise<string>;
  stop(): Promise<void>;
}

const STARTUP_MAX_MS = 60_000;

const running = (name: string, child: ChildProcess, consumed: () => Promise<number>): RunningConsumer => {
  const pid = child.pid ?? 0;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    name,
    consumed: async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with exit code ${child.exitCode}`);
      return consumed();
    },
    cpuSeconds: () => cpuSecondsOf(pid),
    peakBytes: () => peakBytesOf(pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

const spawnNode = ({ env }: Deployment, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });

/** The plain loop, in transactions. */
export const startPlainLoop = async (
  deployment: Deployment,
  verdictBytes: number,
  recordsPerOperation: number,
): Promise<RunningConsumer> => {
  const file = join(ROOT, 'bench', 'peers', 'plain-loop.ts');
  const args = ['--import', 'tsx', file, deployment.prefix, String(verdictBytes), String(recordsPerOperation)];
  const child = spawnNode(deployment, args);
  let consumed = 0;
  if (child.stdout === null) throw new Error('no output to read');
  createInterface(child.stdout).on('line', (line) => {
    consumed = (JSON.parse(line) as { consumed: number }).consumed;
  });
  return running('plain KafkaJS loop', child, () => Promise.resolve(consumed));
};

interface Ready {
  readonly reasons?: readonly string[];
  readonly facts?: {
    readonly shards?: readonly {
      readonly shard: number;
      readonly positions: Readonly<Record<string, string>> | null;
    }[];
  };
}

/**
 * How far the shards have applied their input topics, in records: what `/readyz` says. A shard that does not run is where it was.
 * Counters would not do: a commit whose answer is lost under load is applied and counted by nobody.
 */
const appliedAt = (url: string): (() => Promise<number>) => {
  const applied = new Map<string, number>();
  return async () => {
    const { facts } = (await (await fetch(url)).json()) as Ready;
    for (const { shard, positions } of facts?.shards ?? []) {
      for (const [topic, offset] of Object.entries(positions ?? {})) applied.set(`${topic}/${shard}`, Number(offset));
    }
    return [...applied.values()].reduce((sum, one) => sum + one, 0);
  };
};

/** `countersign process`, as a user starts it. */
export const startProcess = async (
  deployment: Deployment,
  nodeOptions: readonly string[] = [],
): Promise<RunningConsumer> => {
  const child = spawnNode(deployment, [...nodeOptions, PROGRAM, 'process', '--trust-gateway']);
  const { stdout } = child;
  if (stdout === null) throw new Error('no output to read');
  const address = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('process did not start')), STARTUP_MAX_MS);
    createInterface(stdout).on('line', (line) => {
      if (!line.includes('health and metrics')) return;
      clearTimeout(timer);
      resolve((JSON.parse(line) as { address: string }).address);
    });
  });
  const base = address.startsWith('http') ? address : `http://${address}`;
  const trouble = async () => JSON.stringify(((await (await fetch(`${base}/readyz`)).json()) as Ready).reasons);
  return { ...running('countersign process', child, appliedAt(`${base}/readyz`)), trouble };
};
