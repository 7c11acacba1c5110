import { setTimeout as wait } from 'node:timers/promises';
import type { RunningConsumer } from './running-consumer.ts';

/** What a consumer did with one half of the records. */
export interface Throughput {
  readonly recordsPerSecond: number;
  /** client CPU, microseconds a record (which is CPU seconds a million records) */
  readonly cpuMicros: number;
}

export interface ConsumerCost {
  readonly name: string;
  /** the first half, start of the process included in its CPU */
  readonly cold: Throughput;
  readonly warm: Throughput;
  readonly peakBytes: number;
}

interface Sample {
  readonly atMs: number;
  readonly consumed: number;
  readonly cpuSeconds: number;
}

const SAMPLE_MS = 100;
const SILENCE_MAX_MS = 120_000;

const between = (from: Sample, to: Sample): Throughput => {
  const records = to.consumed - from.consumed;
  return {
    recordsPerSecond: (records * 1000) / (to.atMs - from.atMs),
    cpuMicros: ((to.cpuSeconds - from.cpuSeconds) * 1e6) / records,
  };
};

/** Watches a consumer work off `total` records that were there before it started. */
export const measureThroughput = async (consumer: RunningConsumer, total: number): Promise<ConsumerCost> => {
  const samples: Sample[] = [];
  const first: Sample = { atMs: performance.now(), consumed: 0, cpuSeconds: 0 };
  let last = first;
  let grewAtMs = first.atMs;
  while (last.consumed < total) {
    await wait(SAMPLE_MS);
    const consumed = await consumer.consumed();
    const atMs = performance.now();
    if (consumed > last.consumed) grewAtMs = atMs;
    else if (atMs - grewAtMs > SILENCE_MAX_MS) {
      const why = (await consumer.trouble?.()) ?? 'it cannot tell why';
      throw new Error(`${consumer.name} stopped at ${consumed} of ${total}: ${why}`);
    }
    last = { atMs, consumed, cpuSeconds: consumer.cpuSeconds() };
    samples.push(last);
  }
  const begun = samples.find(({ consumed }) => consumed > 0) ?? first;
  const middle = samples.find(({ consumed }) => consumed >= total / 2) ?? last;
  return {
    name: consumer.name,
    cold: between({ ...begun, cpuSeconds: 0 }, middle),
    warm: between(middle, last),
    peakBytes: consumer.peakBytes(),
  };
};
