import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmbeddedDeadLetter,
  EmbeddedPipeline,
  type PublishedVerdict,
} from '../../../src/drivers/memory/embedded-pipeline.ts';
import type { EmbeddedInput } from '../../../src/drivers/memory/journal-entry.ts';
import { playLog } from '../../../src/drivers/memory/play-log.ts';
import { trustingDeps } from '../../support/batch-deps.ts';
import { settled, started, webhook } from '../../support/paypal-log.ts';

const deps = trustingDeps();
const NOON = Date.parse('2026-09-01T12:00:00.000Z');
const HOUR = 3_600_000;

let folder: string;
let journal: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-embedded-'));
  journal = join(folder, 'journal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Opened {
  readonly pipeline: EmbeddedPipeline;
  readonly clock: { ms: number };
  readonly published: PublishedVerdict[];
  readonly deadLetters: EmbeddedDeadLetter[];
}

const open = async (path: string | null = journal, at = NOON): Promise<Opened> => {
  const clock = { ms: at };
  const published: PublishedVerdict[] = [];
  const deadLetters: EmbeddedDeadLetter[] = [];
  const pipeline = await EmbeddedPipeline.open({
    deps,
    clock: { now: () => clock.ms },
    journal: path,
    onWarning: () => undefined,
    onVerdict: (one) => published.push(one),
    onDeadLetter: (one) => deadLetters.push(one),
  });
  return { pipeline, clock, published, deadLetters };
};

const input = (line: string): EmbeddedInput => {
  const { topic, value } = JSON.parse(line) as { topic: EmbeddedInput['topic']; value: object };
  return { topic, value: JSON.stringify(value) };
};

const said = (published: readonly PublishedVerdict[]): string[] =>
  published.map(({ verdict }) => `${verdict.operation_id}:${verdict.revision} ${verdict.verdict}`);

describe('the embedded pipeline', () => {
  it('says of the same records what replay says', async () => {
    const lines = [...settled('op-1', 'R1'), ...settled('op-2', 'R2', 'ANOTHERCAPTURE001')];
    const { pipeline, clock, published } = await open(null);
    for (const line of lines) {
      clock.ms = Math.max(clock.ms, NOON + 30_000);
      await pipeline.append([input(line)]);
    }
    await pipeline.close();
    const played = playLog(deps, lines, null).verdicts;
    expect(said(published)).toEqual(played.map((one) => `${one.operation_id}:${one.revision} ${one.verdict}`));
    expect(said(published)).toContain('op-2:2 VERIFIED');
  });

  it('answers what stands, and lists it by filter', async () => {
    const { pipeline } = await open(null);
    await pipeline.append([...settled('op-1', 'R1'), started('op-2', 0, 'ANOTHERCAPTURE001')].map(input));
    const key = 'paypal:merchant-1:3C679366HH908993R/op-1';
    expect(pipeline.operations.get(key)?.last.verdict).toBe('VERIFIED');
    expect(pipeline.operations.get('nothing')).toBeNull();
    const pending = [...pipeline.operations.list({ verdict: 'PENDING' })];
    expect(pending.map(({ last }) => last.operation_id)).toEqual(['op-2']);
    await pipeline.close();
  });

  it('takes appends that come at the same time, and one that comes as the last batch ends', async () => {
    const { pipeline, published } = await open();
    const [one, two, three, four] = settled('op-1', 'R1').map(input);
    if (!(one && two && three && four)) throw new Error('four records');
    await Promise.all([pipeline.append([one]), pipeline.append([two, three])]);
    await pipeline.append([four]);
    await pipeline.whenCaughtUp();
    expect(said(published)).toEqual(['op-1:1 PENDING', 'op-1:2 VERIFIED']);
    await pipeline.close();
  });

  it('lets time pass at a tick: the deadline is judged at its own instant', async () => {
    const { pipeline, clock, published } = await open();
    await pipeline.append([input(started('op-1', 0))]);
    clock.ms = NOON + 71 * HOUR;
    await pipeline.tick();
    expect(said(published)).toEqual(['op-1:1 PENDING']);
    clock.ms = NOON + 80 * HOUR;
    await pipeline.tick();
    expect(said(published)).toEqual(['op-1:1 PENDING', 'op-1:2 UNVERIFIABLE']);
    expect(published[1]?.verdict.decided_at).toBe('2026-09-04T12:00:00.000Z');
    await pipeline.close();
  });

  it('dead-letters what is no record and goes on', async () => {
    const { pipeline, deadLetters, published } = await open();
    await pipeline.append([{ topic: 'operation-started', value: '{' }, input(started('op-1', 0))]);
    expect(deadLetters.map(({ code }) => code)).toEqual(['RECORD_MALFORMED']);
    expect(said(published)).toEqual(['op-1:1 PENDING']);
    await pipeline.close();
  });

  it('is what it was after it is opened again: state, ticks, revisions', async () => {
    const first = await open();
    await first.pipeline.append(settled('op-1', 'R1').slice(0, 2).map(input));
    await first.pipeline.append([input(started('op-2', 0, 'ANOTHERCAPTURE001'))]);
    first.clock.ms = NOON + 80 * HOUR;
    await first.pipeline.tick();
    await first.pipeline.close();
    const again = await open(journal, NOON + 81 * HOUR);
    expect(again.published.map(({ verdict }) => verdict)).toEqual(first.published.map(({ verdict }) => verdict));
    expect(again.published.every(({ isRecovered }) => isRecovered)).toBe(true);
    expect(again.pipeline.now).toBe(first.pipeline.now);
    await again.pipeline.append(settled('op-1', 'R1').slice(2).map(input));
    expect(said(again.published).at(-1)).toBe('op-1:3 VERIFIED');
    expect(again.published.at(-1)?.isRecovered).toBe(false);
    await again.pipeline.close();
  });

  it('counts a webhook that was seen before the crash once', async () => {
    const first = await open();
    const event = input(webhook('WH-1', 4, { refund: 'R1' }));
    await first.pipeline.append([...settled('op-1', 'R1').slice(0, 2).map(input), event]);
    await first.pipeline.close();
    const again = await open();
    await again.pipeline.append([event, ...settled('op-1', 'R1').slice(3).map(input)]);
    const last = again.published.at(-1)?.verdict;
    expect(last?.verdict).toBe('VERIFIED');
    expect(last?.duplicates_dropped).toBe(1);
    await again.pipeline.close();
  });

  it('refuses every record after a fault, and can still be closed', async () => {
    const pipeline = await EmbeddedPipeline.open({
      deps,
      clock: { now: () => NOON },
      journal,
      onWarning: () => undefined,
      onVerdict: () => {
        throw new TypeError('a subscriber that fails');
      },
    });
    const records = settled('op-1', 'R1').map(input);
    for (const record of [...records, ...records])
      await expect(pipeline.append([record])).rejects.toThrow('a subscriber that fails');
    await expect(pipeline.whenCaughtUp()).rejects.toThrow('a subscriber that fails');
    await pipeline.close();
  });

  it('has every acknowledged record after kill -9', async () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('../../support/embedded-writer.ts', import.meta.url)), journal],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let acknowledged = -1;
    child.stdout.on('data', (text: Buffer) => {
      acknowledged = Number(text.toString().trim().split('\n').at(-1));
      if (acknowledged >= 25) child.kill('SIGKILL');
    });
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
    const { pipeline } = await open();
    const held = [...pipeline.operations.list()].map(({ last }) => last.operation_id);
    expect(held.length).toBeGreaterThan(acknowledged);
    expect(held).toEqual(held.map((_, index) => `op-${index}`));
    await pipeline.close();
  });
});
