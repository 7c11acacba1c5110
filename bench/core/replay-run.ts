import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenLog } from '../generate.ts';
import { type ChildRun, runSampled, type Sample } from './sampled-child.ts';

export interface ReplayCost {
  readonly form: string;
  readonly records: number;
  readonly operations: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  /** CPU microseconds a record while a tenth of the operations is held, and while nearly all are */
  readonly earlyMicros: number;
  readonly lateMicros: number;
  /** growth of the resident memory, bytes an operation, from the first tenth of the log to its end */
  readonly bytesPerOperation: number;
}

const ROOT = new URL('../..', import.meta.url).pathname;

const at = (samples: readonly Sample[], position: number): Sample =>
  samples.find((sample) => sample.position >= position) ??
  samples.at(-1) ?? { position: 0, cpuSeconds: 0, residentBytes: 0 };

/** Microseconds of CPU a record between two places of the log, each a share of it. */
const microsBetween = (run: ChildRun, log: WrittenLog, from: number, to: number): number => {
  const [first, last] = [at(run.samples, from * log.bytes), at(run.samples, to * log.bytes)];
  const records = ((last.position - first.position) / log.bytes) * log.records;
  return ((last.cpuSeconds - first.cpuSeconds) * 1e6) / records;
};

/** Runs `countersign replay FILE --trust-gateway` as a user would, in a process of its own. */
export const measureReplay = async (file: string, log: WrittenLog, options: readonly string[]): Promise<ReplayCost> => {
  if (statSync(file).size !== log.bytes) throw new Error(`${file} should have ${log.bytes} bytes`);
  const program = process.env['COUNTERSIGN_BENCH_BIN'] ?? join(ROOT, 'bin', 'countersign');
  const run = await runSampled([program, 'replay', file, '--trust-gateway', ...options], file);
  const early = at(run.samples, 0.1 * log.bytes);
  const operationsSince = log.operations * (1 - early.position / log.bytes);
  return {
    form: options.includes('--json') ? 'JSON lines' : 'a table',
    records: log.records,
    operations: log.operations,
    wallSeconds: run.wallSeconds,
    cpuSeconds: run.cpuSeconds,
    peakBytes: run.peakBytes,
    earlyMicros: microsBetween(run, log, 0.08, 0.18),
    lateMicros: microsBetween(run, log, 0.9, 1),
    bytesPerOperation: (run.peakBytes - early.residentBytes) / operationsSince,
  };
};
