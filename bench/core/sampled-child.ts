import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** How far a child had read its input, and what it had used by then. */
export interface Sample {
  /** bytes of the file read */
  readonly position: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

export interface ChildRun {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly samples: readonly Sample[];
}

const SAMPLE_MS = 100;
/** Linux counts process times in hundredths of a second, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

/** The most resident memory a process ever had, bytes. */
export const peakBytesOf = (pid: number): number => field(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmHWM') * 1024;

const field = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** User and system time a process has used so far. Linux only. */
export const cpuSecondsOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
};

/** The descriptor under which the child has the file open; null while it has not. */
const descriptorOf = (pid: number, file: string): string | null =>
  readdirSync(`/proc/${pid}/fd`).find((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === file;
    } catch {
      return false;
    }
  }) ?? null;

/**
 * Runs `node` with `args` and its output thrown away, and samples /proc while it reads `file` (absolute). Throws where it does
 * not end with exit code 0.
 */
export const runSampled = async (args: readonly string[], file: string): Promise<ChildRun> => {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('the child did not start');
  const samples: Sample[] = [];
  let peakBytes = 0;
  let cpuSeconds = 0;
  const sample = (): void => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      peakBytes = Math.max(peakBytes, field(status, 'VmHWM') * 1024);
      cpuSeconds = Math.max(cpuSeconds, cpuSecondsOf(pid));
      const fd = descriptorOf(pid, file);
      if (fd === null) return;
      const position = field(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'), 'pos');
      samples.push({ position, cpuSeconds, residentBytes: field(status, 'VmRSS') * 1024 });
    } catch {
      // It has ended; what was sampled stands.
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearInterval(timer);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with exit code ${code}`);
  return { wallSeconds: (performance.now() - began) / 1000, cpuSeconds, peakBytes, samples };
};
