/**
 * What a commit to the shard store costs, and what an operation takes of its memory. Markdown out.
 *
 *   npm run bench -- store [--states 200000] [--value 600] [--batch 500] [--shards 4] [--redis redis://…]
 *
 * Redis is the one given, else that of COUNTERSIGN_REDIS_URL; without either only the memory store is measured.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { redisSection } from '../src/config/redis.ts';
import { MemoryShardStore } from '../src/drivers/memory/shard-store.ts';
import { createRedis } from '../src/drivers/redis/connect.ts';
import { parseInfo } from '../src/drivers/redis/diagnose.ts';
import { keysOf } from '../src/drivers/redis/keys.ts';
import { RedisShardStore } from '../src/drivers/redis/shard-store.ts';
import type { ShardClaim, ShardStore, StateWrite } from '../src/ports/shard-store.ts';

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '200000' },
    value: { type: 'string', default: '600' },
    batch: { type: 'string', default: '500' },
    shards: { type: 'string', default: '4' },
    redis: { type: 'string', default: process.env['COUNTERSIGN_REDIS_URL'] ?? '' },
  },
});
const states = Number(values.states);
const valueBytes = Number(values.value);
const batch = Number(values.batch);
const shards = Number(values.shards);

const NOW = Date.parse('2026-09-01T12:00:00Z');
const DAY_MS = 86_400_000;
const VERDICT = JSON.stringify({ kind: 'verdict', pad: 'v'.repeat(900) });
/** One operation in ten still polls; the others are only watched. */
const POLLING_EVERY = 10;

const writeOf = (n: number, round: number): StateWrite => ({
  paymentKey: `paypal:merchant-1:${n.toString(36).toUpperCase().padStart(17, '0')}`,
  value: `{"round":${round},"n":${n},"pad":"${'x'.repeat(Math.max(0, valueBytes - 40))}"}`,
  expiresAt: NOW + 40 * DAY_MS + n,
  evaluateAt: NOW + ((n * 7919) % (35 * DAY_MS)),
  reads:
    n % POLLING_EVERY === 0
      ? [
          {
            operationId: `op-${n}`,
            channel: 'refund_readback',
            resourceId: `R${n}`,
            purpose: 'poll',
            attempt: round,
            dueAt: NOW + n,
          },
        ]
      : [],
});

interface Measured {
  readonly statesASecond: number;
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Commits every state once, the shards side by side as a consumer runs them; verdicts are trimmed as if published. */
const commitAll = async (store: ShardStore, round: number): Promise<Measured> => {
  const took: number[] = [];
  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      let claim: ShardClaim = await store.claim(shard, randomUUID());
      for (let from = shard * batch; from < states; from += shards * batch) {
        const count = Math.min(batch, states - from);
        const writes = Array.from({ length: count }, (_unused, n) => writeOf(from + n, round));
        const verdicts = writes
          .filter((_unused, n) => n % 2 === 0)
          .map((write) => ({ key: `${write.paymentKey}/op`, value: VERDICT, traceparent: null }));
        const applied = { t: String(Number(claim.applied['t'] ?? '0') + count) };
        const start = performance.now();
        const result = await store.commit({ claim, writes, applied, verdicts, streamTime: NOW });
        took.push(performance.now() - start);
        if (!('claim' in result)) throw new Error(`a commit was ${result.outcome}`);
        claim = result.claim;
        await store.trimVerdicts(shard, claim.token, claim.nextVerdict - 1);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  took.sort((a, b) => a - b);
  return {
    statesASecond: states / seconds,
    cpuMicros: (user + system) / states,
    p50Ms: took[Math.floor(took.length * 0.5)] ?? 0,
    p99Ms: took[Math.floor(took.length * 0.99)] ?? 0,
  };
};

/** A line of the table; what was not measured stays empty. */
const row = (
  name: string,
  what: string,
  measured: Measured,
  more: { readonly serverMicros?: number; readonly bytes?: number },
): string =>
  `| ${[
    name,
    what,
    Math.round(measured.statesASecond).toLocaleString('en'),
    measured.cpuMicros.toFixed(1),
    more.serverMicros?.toFixed(1) ?? '',
    measured.p50Ms.toFixed(1),
    measured.p99Ms.toFixed(1),
    more.bytes === undefined ? '' : Math.round(more.bytes).toLocaleString('en'),
  ].join(' | ')} |`;

const heapNow = (): number => {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const benchMemory = async (): Promise<void> => {
  const before = heapNow();
  const store = new MemoryShardStore();
  const first = await commitAll(store, 1);
  const bytes = (heapNow() - before) / states;
  console.log(row('memory', 'new', first, { bytes }));
  console.log(row('memory', 'again', await commitAll(store, 2), {}));
  await store.close();
};

const benchRedis = async (url: string): Promise<void> => {
  const redis = createRedis(redisSection.parse({ url }));
  const { client } = redis;
  const server = async (): Promise<{ bytes: number; cpuSeconds: number }> => {
    const info = parseInfo(`${await client.info('memory')}${await client.info('cpu')}`);
    const of = (name: string): number => Number(info.get(name));
    return { bytes: of('used_memory'), cpuSeconds: of('used_cpu_user') + of('used_cpu_sys') };
  };
  const prefix = `bench-${randomUUID()}`;
  const keys = keysOf(prefix);
  const store = new RedisShardStore(redis, prefix);
  const empty = await server();
  for (const [index, what] of ['new', 'again'].entries()) {
    const before = await server();
    const measured = await commitAll(store, index + 1);
    const after = await server();
    const serverMicros = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / states;
    console.log(row('redis', what, measured, { serverMicros, bytes: (after.bytes - empty.bytes) / states }));
  }
  for (let shard = 0; shard < shards; shard++) {
    for await (const { paymentKey } of store.scan(shard))
      await client.unlink(keys.shard(shard).statePrefix + paymentKey);
    await client.unlink(Object.values(keys.shard(shard)));
  }
  await store.close();
};

console.log(
  `${states.toLocaleString('en')} states of ${valueBytes} B in batches of ${batch} over ${shards} shards; a verdict for every second; ` +
    `one in ${POLLING_EVERY} polls. Node ${process.versions.node}.\n`,
);
console.log(
  '| store | states | states/s | client CPU µs/state | server CPU µs/state | commit p50 ms | p99 ms | bytes/state |',
);
console.log('|---|---|---:|---:|---:|---:|---:|---:|');
await benchMemory();
if (values.redis !== '') await benchRedis(values.redis);
