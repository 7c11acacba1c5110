import { expect, it, vi } from 'vitest';
import { OperatingError } from '../../../src/errors.ts';
import type { OutgoingRecord, RecordSink } from '../../../src/ports/record-sink.ts';
import { createBatchedSink } from '../../../src/producers/gateway/batched-sink.ts';

const record = (text: string): OutgoingRecord => ({
  topic: 'webhook-received',
  key: null,
  value: Buffer.from(text),
  headers: {},
  timestamp: 0,
});

interface Write {
  readonly texts: readonly string[];
  readonly end: (error?: unknown) => void;
}

/** A log whose writes end when the test says so. */
const slowLog = () => {
  const writes: Write[] = [];
  const sink: RecordSink = {
    write: (records) =>
      new Promise((resolve, reject) => {
        const texts = records.map(({ value }) => value.toString());
        writes.push({ texts, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    close: async () => undefined,
  };
  return { writes, sink };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const UNAVAILABLE = { code: 'BROKER_UNAVAILABLE' };

it('sends together what came at once, and what came while a batch was on its way, and answers each by its own batch', async () => {
  const { writes, sink } = slowLog();
  const batched = createBatchedSink({ sink, timeoutMs: 10_000, waitingMax: 100 });
  const kept: string[] = [];
  const write = (text: string) => batched.write([record(text)]).then(() => kept.push(text));
  const all = [write('a'), write('b')];
  await turn();
  all.push(write('c'), write('d'));
  await turn();
  expect(writes.map(({ texts }) => texts)).toEqual([['a', 'b']]);
  writes[0]?.end();
  await turn();
  expect(kept).toEqual(['a', 'b']);
  expect(writes[1]?.texts).toEqual(['c', 'd']);
  writes[1]?.end();
  await Promise.all(all);
  expect(kept).toEqual(['a', 'b', 'c', 'd']);
});

it('fails all of a batch that was not kept, and goes on with the next', async () => {
  const { writes, sink } = slowLog();
  const batched = createBatchedSink({ sink, timeoutMs: 10_000, waitingMax: 100 });
  const first = batched.write([record('a')]);
  await turn();
  const second = batched.write([record('b')]);
  writes[0]?.end(new OperatingError('BROKER_UNAVAILABLE', 'away'));
  await expect(first).rejects.toMatchObject(UNAVAILABLE);
  expect(batched.trouble()).toBe('away');
  await turn();
  writes[1]?.end();
  await second;
  expect(batched.trouble()).toBeNull();
});

it('lets the others of a batch pass where one record is too large', async () => {
  const kept: string[] = [];
  const sink: RecordSink = {
    write: async (records) => {
      const texts = records.map(({ value }) => value.toString());
      if (texts.includes('large')) throw new OperatingError('RECORD_TOO_LARGE', 'too large');
      kept.push(...texts);
    },
    close: async () => undefined,
  };
  const batched = createBatchedSink({ sink, timeoutMs: 10_000, waitingMax: 100 });
  const texts = ['first', 'a', 'large', 'b'];
  const ended = await Promise.allSettled(texts.map((text) => batched.write([record(text)])));
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(kept).toEqual(['first', 'a', 'b']);
});

it('refuses more than may wait, and forgets what timed out before it was sent', async () => {
  const { writes, sink } = slowLog();
  const batched = createBatchedSink({ sink, timeoutMs: 20, waitingMax: 2 });
  const held = [batched.write([record('a')])];
  await turn();
  held.push(batched.write([record('b')]));
  await expect(batched.write([record('c')])).rejects.toMatchObject(UNAVAILABLE);
  const ended = await Promise.allSettled(held);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = batched.write([record('d')]);
  writes[0]?.end();
  await turn();
  expect(writes[1]?.texts).toEqual(['d']);
  writes[1]?.end();
  await later;
});

it('lets small batches follow each other with a space between, and large ones at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { writes, sink } = slowLog();
    const batched = createBatchedSink({ sink, timeoutMs: 10_000, waitingMax: 100, spacingMs: 5 });
    const all = [batched.write([record('first')])];
    await turn();
    all.push(batched.write([record('a')]));
    writes[0]?.end();
    await turn();
    expect(writes.length).toBe(1);
    all.push(batched.write([record('b')]));
    vi.advanceTimersByTime(5);
    await turn();
    expect(writes[1]?.texts).toEqual(['a', 'b']);
    for (let more = 0; more < 32; more += 1) all.push(batched.write([record(`${more}`)]));
    writes[1]?.end();
    await turn();
    expect(writes[2]?.texts.length).toBe(32);
    writes[2]?.end();
    await Promise.all(all);
    // Idle again: who comes now goes at once.
    const lone = batched.write([record('lone')]);
    await turn();
    expect(writes[3]?.texts).toEqual(['lone']);
    writes[3]?.end();
    await lone;
  } finally {
    vi.useRealTimers();
  }
});
