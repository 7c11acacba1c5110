import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdmission } from '../../../src/consumers/admit.ts';
import { EmbeddedPipeline } from '../../../src/drivers/memory/embedded-pipeline.ts';
import { OperatingError } from '../../../src/errors.ts';
import { type EpochMs, reducePayment, type VerdictRecord } from '../../../src/evaluator/index.ts';
import { printJson } from '../../../src/records/json-text.ts';
import { content } from '../checks.ts';
import type { Delivered } from '../item.ts';
import { contractsOf } from '../pipeline.ts';
import { Random } from '../random.ts';
import { type Run, redeliver, simulate } from '../run.ts';
import { signedEndpoints } from '../signing.ts';
import { FullDisk } from './full-disk.ts';

/** What a run of the embedded mode came to: empty where it is what the same records come to without a disk. */
export interface EmbeddedRun {
  readonly differences: readonly string[];
  readonly crashes: number;
  readonly fullDisks: number;
}

const told = ({ verdict_id, verdict, reason, decided_at }: VerdictRecord): string =>
  [verdict_id, verdict, reason, decided_at].join(' ');

/** The embedded mode over a journal whose disk fills up, in a process that dies at any byte of a write. */
class EmbeddedHouse {
  readonly verdicts = new Map<string, string>();
  crashes = 0;
  fullDisks = 0;
  readonly #run: Run;
  readonly #folder: string;
  readonly #disk: FullDisk;
  readonly #random: Random;
  #opened = 0;
  #now: EpochMs;
  #pipeline: EmbeddedPipeline | null = null;

  constructor(run: Run, folder: string, disk: FullDisk, random: Random) {
    this.#run = run;
    this.#folder = folder;
    this.#disk = disk;
    this.#random = random;
    this.#now = run.world.startsAt - 3_600_000;
  }

  #path(): string {
    return join(this.#folder, `journal-${this.#opened}`);
  }

  async open(): Promise<EmbeddedPipeline> {
    const { weather } = this.#run;
    const contracts = contractsOf(weather);
    const endpoints = weather.isSigned ? signedEndpoints() : [];
    const admission = createAdmission({ contracts, endpoints, trustGateway: !weather.isSigned, testMode: false });
    this.#pipeline = await EmbeddedPipeline.open({
      deps: { contracts, admission, reduce: reducePayment },
      clock: { now: () => this.#now },
      journal: this.#path(),
      onWarning: () => undefined,
      onVerdict: ({ verdict }) => void this.verdicts.set(verdict.verdict_id, told(verdict)),
    });
    return this.#pipeline;
  }

  get pipeline(): EmbeddedPipeline {
    if (this.#pipeline === null) throw new TypeError('the pipeline is not open');
    return this.#pipeline;
  }

  async deliver({ at, item }: Delivered): Promise<void> {
    const input = { topic: item.topic, value: printJson(item.value) };
    await this.#until(at, () => this.pipeline.append([input]));
  }

  async pass(at: EpochMs): Promise<void> {
    await this.#until(at, async () => undefined);
  }

  /** A sender that gets an error comes again, once there is room. */
  async #until(at: EpochMs, action: () => Promise<void>): Promise<void> {
    this.#now = at;
    for (;;) {
      try {
        await this.pipeline.tick();
        await action();
        return;
      } catch (error) {
        if (!(error instanceof OperatingError) || error.code !== 'JOURNAL_UNWRITABLE') throw error;
        this.#disk.room = null;
        this.fullDisks += 1;
        await this.pipeline.close();
        await this.open();
      }
    }
  }

  /** Before a delivery: nothing, or the disk is nearly full, or the process is killed and what it wrote last is cut off. */
  async trouble(): Promise<void> {
    const { room } = this.#disk;
    if (this.#random.chance(0.08) && room === null) this.#disk.room = this.#random.int(0, 3_000);
    if (!this.#random.chance(0.05)) return;
    this.#disk.room = null;
    this.crashes += 1;
    const path = this.#path();
    this.#opened += 1;
    await copyFile(path, this.#path());
    await this.pipeline.close();
    // Half of an entry, as a crash leaves it: nobody was told that it is kept.
    const torn = Buffer.from('a write that the crash cut off in its middle');
    await writeFile(this.#path(), torn.subarray(0, this.#random.int(0, 7)), { flag: 'a' });
    await this.open();
  }
}

/** Plays a seed's records through the embedded mode, and compares with what they come to without faults. */
export const simulateEmbedded = async (seed: number): Promise<EmbeddedRun> => {
  const run = simulate(seed);
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  const disk = await FullDisk.under(join(folder, 'probe'));
  try {
    const house = new EmbeddedHouse(run, folder, disk, new Random(seed).fork('embedded'));
    await house.open();
    for (const delivered of run.delivered) {
      await house.trouble();
      await house.deliver(delivered);
    }
    disk.room = null;
    await house.pass(run.world.endsAt);
    const expected = redeliver(run, run.delivered);
    const differences: string[] = [];
    for (const { verdict } of expected.verdicts)
      if (house.verdicts.get(verdict.verdict_id) !== told(verdict))
        differences.push(`${told(verdict)}, embedded: ${house.verdicts.get(verdict.verdict_id)}`);
    for (const [key, state] of expected.states) {
      const held = await house.pipeline.stateOf(key);
      if (held === null || content(held) !== content(state)) differences.push(`the state of ${key} differs`);
    }
    await house.pipeline.close();
    return { differences, crashes: house.crashes, fullDisks: house.fullDisks };
  } finally {
    disk.close();
    await rm(folder, { recursive: true, force: true });
  }
};
