import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import type { RedisConnection } from '../../src/drivers/redis/connection.ts';
import { keysOf, type ShardKeys } from '../../src/drivers/redis/keys.ts';
import { PackedTexts } from '../../src/drivers/redis/packed-texts.ts';
import { runScript, type ScriptArgument, type ScriptName } from '../../src/drivers/redis/scripts.ts';
import { deletePrefix, keysUnder, ownPrefix, redisSettings } from './redis-store.ts';

const NOW = 1_788_264_000_000;

let redis: RedisConnection;
let prefix: string;
let keys: ShardKeys;

beforeEach(() => {
  redis = createRedis(redisSettings());
  prefix = ownPrefix();
  keys = keysOf(prefix).shard(0);
});
afterEach(async () => {
  await deletePrefix(redis, prefix);
  await redis.close();
});

const run = (name: ScriptName, scriptKeys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> =>
  runScript(redis.client, name, scriptKeys, args);

const packed = (texts: readonly (string | number)[]): Buffer => {
  const pack = new PackedTexts(0);
  for (const text of texts) pack.push(text);
  return pack.bytes();
};

const line = (due: number, held: number, hold: string, lease: string, read = '["op"]'): string =>
  `${due} ${held} ${hold} ${lease} ${read}`;

describe('claim-2.lua', () => {
  const claim = (owner: string): Promise<unknown> => run('claim', [keys.owner, keys.offsets], [owner]);

  it('returns the beginnings of a fresh shard', async () => {
    const [token, ...rest] = (await claim('a')) as string[];
    expect(token).toMatch(/^\d{16}:a$/);
    expect(rest).toEqual(['0', '1', '0']);
    expect(await redis.client.hgetall(keys.owner)).toEqual({ token });
  });

  it('returns what is stored, offsets at the end', async () => {
    await redis.client.hset(keys.owner, { sequence: 7, next_verdict: 9, stream_time: NOW });
    await redis.client.hset(keys.offsets, { t: '9007199254740993' });
    expect(await claim('a')).toEqual([expect.any(String), '7', '9', String(NOW), 't', '9007199254740993']);
  });

  it("numbers a token from the server's clock, and past the stored one when that is ahead", async () => {
    const [seconds] = await redis.client.time();
    const [token = ''] = (await claim('a')) as string[];
    expect(Math.abs(Number.parseInt(token, 10) / 1_000_000 - Number(seconds))).toBeLessThan(5);
    await redis.client.hset(keys.owner, 'token', '9000000000000000:before');
    expect(((await claim('b')) as string[])[0]).toBe('9000000000000001:b');
  });
});

describe('commit-n.lua', () => {
  interface State {
    readonly payment: string;
    readonly value?: string;
    readonly ttl?: string | number;
    readonly evaluateAt?: string | number;
    readonly lines?: string;
    readonly first?: string | number;
    readonly since?: string | number;
  }
  interface Call {
    readonly token?: string;
    readonly sequence?: number;
    readonly nextVerdict?: number;
    readonly streamTime?: number;
    readonly digest?: string;
    readonly topics?: readonly (readonly [topic: string, before: string, after: string])[];
    readonly verdicts?: readonly string[];
    readonly states?: readonly State[];
  }

  const commit = (call: Call = {}): Promise<unknown> => {
    const { topics = [['t', '5', '6']], verdicts = [], states = [] } = call;
    const { owner, offsets, evaluations, reads, readEntries, verdicts: list, unresolved } = keys;
    const all = [owner, offsets, evaluations, reads, readEntries, list, unresolved];
    return run(
      'commit',
      [...all, ...states.map(({ payment }) => keys.statePrefix + payment)],
      [
        call.token ?? '10:me',
        call.sequence ?? 3,
        call.nextVerdict ?? 1,
        call.streamTime ?? NOW,
        call.digest ?? 'digest',
        keys.statePrefix.length,
        packed([
          topics.length,
          ...topics.flat(),
          verdicts.length,
          ...verdicts,
          ...states.flatMap(({ value = 'v', ttl = 60_000, evaluateAt = '', lines = '', first = '', since = '' }) => [
            value,
            ttl,
            evaluateAt,
            lines,
            first,
            since,
          ]),
        ]),
      ],
    );
  };

  beforeEach(async () => {
    await redis.client.hset(keys.owner, {
      token: '10:me',
      sequence: 3,
      next_verdict: 1,
      stream_time: NOW - 1,
      digest: 'last',
    });
    await redis.client.hset(keys.offsets, { t: '5' });
  });

  /** Every key with its bytes: what a refused commit must leave as it was. */
  const stored = async (): Promise<Record<string, string | undefined>> => {
    const found = (await keysUnder(redis, prefix)).sort();
    return Object.fromEntries(
      await Promise.all(found.map(async (key) => [key, (await redis.client.dumpBuffer(key))?.toString('hex')])),
    );
  };

  it('committed: writes every part', async () => {
    const outcome = await commit({
      verdicts: ['1\n["k",null]\n{}'],
      states: [
        {
          payment: 'p:1',
          value: 'one',
          ttl: 60_000,
          evaluateAt: NOW + 5,
          lines: line(NOW + 9, 0, 'f', '-'),
          first: NOW + 9,
        },
        { payment: 'p:2', value: 'two', ttl: 90_000 },
      ],
    });
    expect(outcome).toBe('committed');
    expect(await redis.client.hgetall(keys.owner)).toEqual({
      token: '10:me',
      sequence: '4',
      next_verdict: '2',
      stream_time: String(NOW),
      digest: 'digest',
    });
    expect(await redis.client.hgetall(keys.offsets)).toEqual({ t: '6' });
    expect(await redis.client.mget(`${keys.statePrefix}p:1`, `${keys.statePrefix}p:2`)).toEqual(['one', 'two']);
    expect(await redis.client.zrange(keys.evaluations, '0', '-1', 'WITHSCORES')).toEqual(['p:1', String(NOW + 5)]);
    expect(await redis.client.zrange(keys.reads, '0', '-1', 'WITHSCORES')).toEqual(['p:1', String(NOW + 9)]);
    expect(await redis.client.hgetall(keys.readEntries)).toEqual({ 'p:1': line(NOW + 9, 0, 'f', '-') });
    expect(await redis.client.lrange(keys.verdicts, 0, -1)).toEqual(['1\n["k",null]\n{}']);
  });

  it('committed: notes since when a payment is unresolved, until it is not or is dropped', async () => {
    const topics = [['t', '6', '6']] as const;
    const noted = (): Promise<string[]> => redis.client.zrange(keys.unresolved, '0', '-1', 'WITHSCORES');
    await commit({ states: ['p', 'q', 'r'].map((payment, n) => ({ payment, since: NOW + n })) });
    expect(await noted()).toEqual(['p', String(NOW), 'q', String(NOW + 1), 'r', String(NOW + 2)]);
    await commit({ sequence: 4, topics, states: [{ payment: 'p', since: NOW + 9 }, { payment: 'q' }] });
    expect(await noted()).toEqual(['r', String(NOW + 2), 'p', String(NOW + 9)]);
    await commit({ sequence: 5, topics, states: [{ payment: 'r', ttl: '0', since: NOW }] });
    expect(await noted()).toEqual(['p', String(NOW + 9)]);
  });

  it('committed: gives each state its time to live, and renews it', async () => {
    await commit({ states: [{ payment: 'p', ttl: 1000 }] });
    await commit({ sequence: 4, topics: [['t', '6', '6']], states: [{ payment: 'p', ttl: 3_000_000_000 }] });
    await commit({ sequence: 5, topics: [['t', '6', '6']], states: [{ payment: 'q', ttl: '' }] });
    expect(await redis.client.pttl(`${keys.statePrefix}q`)).toBe(-1);
    const ttl = await redis.client.pttl(`${keys.statePrefix}p`);
    expect(ttl).toBeGreaterThan(2_999_900_000);
    expect(ttl).toBeLessThanOrEqual(3_000_000_000);
  });

  it('committed: drops a payment without time to live from everywhere', async () => {
    await commit({ states: [{ payment: 'p', evaluateAt: NOW, lines: line(NOW, 0, 'f', '-'), first: NOW }] });
    await commit({ sequence: 4, topics: [['t', '6', '6']], states: [{ payment: 'p', ttl: '0', evaluateAt: NOW }] });
    expect((await keysUnder(redis, prefix)).sort()).toEqual([keys.owner, keys.offsets].sort());
  });

  it('committed: keeps a later stream time', async () => {
    await redis.client.hset(keys.owner, 'stream_time', NOW + 50);
    await commit();
    expect(await redis.client.hget(keys.owner, 'stream_time')).toBe(String(NOW + 50));
  });

  it('committed: an entry stated again keeps lease and hold, a done one becomes free when its lease ends', async () => {
    const [a, b, c, d] = ['["a"]', '["b"]', '["c"]', '["d"]'];
    await redis.client.hset(
      keys.readEntries,
      'p',
      [
        line(NOW, NOW + 100, 'l', 'L1', a),
        line(NOW, NOW + 200, 'd', 'L2', b),
        line(NOW, NOW + 50, 'f', 'L3', c),
        line(NOW, NOW + 300, 'l', 'L4', d),
      ].join('\n'),
    );
    const wanted = [
      line(NOW, 0, 'f', '-', a),
      line(NOW, 0, 'f', '-', b),
      line(NOW, 0, 'f', '-', c),
      line(NOW + 1, 0, 'f', '-', d),
    ];
    await commit({ states: [{ payment: 'p', lines: wanted.join('\n'), first: NOW }] });
    expect((await redis.client.hget(keys.readEntries, 'p'))?.split('\n')).toEqual([
      line(NOW, NOW + 100, 'l', 'L1', a),
      line(NOW, NOW + 200, 'f', 'L2', b),
      line(NOW, NOW + 50, 'f', 'L3', c),
      line(NOW + 1, 0, 'f', '-', d),
    ]);
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW + 1));
  });

  it('already: the same digest one sequence on, and nothing is written twice', async () => {
    await commit({ verdicts: ['1\n[]\n{}'] });
    const before = await stored();
    expect(await commit({ verdicts: ['1\n[]\n{}'] })).toBe('already');
    expect(await stored()).toEqual(before);
  });

  it.each<[string, Call]>([
    ['a token with a higher number is stored', { token: '9:me' }],
    ['the same number was handed to another', { token: '10:other' }],
  ])('fenced: %s', async (_what, call) => {
    const before = await stored();
    expect(await commit({ ...call, states: [{ payment: 'p' }], verdicts: ['1\n'] })).toBe('fenced');
    expect(await stored()).toEqual(before);
  });

  it.each<[string, Call]>([
    ['a token with a lower number is stored', { token: '11:me' }],
    ['the stored sequence is lower', { sequence: 4 }],
    ['the stored sequence is one higher, of another commit', { sequence: 2 }],
    ['the stored sequence is higher, of the same digest', { sequence: 1, digest: 'last' }],
    ['an offset is another', { topics: [['t', '4', '6']] }],
    [
      'an offset is not there',
      {
        topics: [
          ['t', '5', '6'],
          ['u', '1', '2'],
        ],
      },
    ],
    ['a stored topic is unknown', { topics: [] }],
    ['verdicts were numbered further', { nextVerdict: 0 }],
  ])('rewound: %s', async (_what, call) => {
    const before = await stored();
    expect(await commit({ ...call, states: [{ payment: 'p' }], verdicts: ['1\n'] })).toBe('rewound');
    expect(await stored()).toEqual(before);
  });

  it('rewound: nothing is stored at all', async () => {
    await deletePrefix(redis, prefix);
    expect(await commit({ topics: [['t', '0', '1']] })).toBe('rewound');
    expect(await keysUnder(redis, prefix)).toEqual([]);
  });

  it('committed: takes a topic that starts at 0', async () => {
    expect(
      await commit({
        topics: [
          ['t', '5', '5'],
          ['u', '0', '8'],
        ],
      }),
    ).toBe('committed');
    expect(await redis.client.hgetall(keys.offsets)).toEqual({ t: '5', u: '8' });
  });
});

describe('trim-verdicts-2.lua', () => {
  const trim = (token: string, sequence: number): Promise<unknown> =>
    run('trimVerdicts', [keys.owner, keys.verdicts], [token, sequence]);
  const sequences = async (): Promise<number[]> =>
    (await redis.client.lrange(keys.verdicts, 0, -1)).map((text) => Number.parseInt(text, 10));

  beforeEach(async () => {
    await redis.client.hset(keys.owner, 'token', '1:me');
    await redis.client.rpush(keys.verdicts, ...[1, 2, 5, 9].map((n) => `${n}\n["k",null]\n{"n":1}`));
  });

  it('returns how many it dropped', async () => {
    expect(await trim('1:me', 5)).toBe(3);
    expect(await sequences()).toEqual([9]);
    expect(await trim('1:me', 5)).toBe(0);
    expect(await trim('1:me', 100)).toBe(1);
    expect(await trim('1:me', 100)).toBe(0);
  });

  it('returns -1 and drops nothing for one who does not own the shard', async () => {
    expect(await trim('1:other', 5)).toBe(-1);
    expect(await sequences()).toEqual([1, 2, 5, 9]);
  });

  it('goes on past one chunk', async () => {
    await redis.client.del(keys.verdicts);
    await redis.client.rpush(keys.verdicts, ...Array.from({ length: 1700 }, (_, n) => `${n + 1}\n[]\n`));
    expect(await trim('1:me', 1600)).toBe(1600);
    expect((await sequences())[0]).toBe(1601);
  });
});

describe('claim-reads-2.lua', () => {
  const claim = (upTo: number, limit: number, lease = 'L', until = NOW + 1000): Promise<unknown> =>
    run('claimReads', [keys.reads, keys.readEntries], [upTo, until, limit, lease]);
  const put = async (payment: string, score: number, ...lines: string[]): Promise<void> => {
    await redis.client.hset(keys.readEntries, payment, lines.join('\n'));
    await redis.client.zadd(keys.reads, score, payment);
  };

  it('returns payment and leased line of each, and moves the payment to its next time', async () => {
    await put('p', NOW, line(NOW, 0, 'f', '-', '["a"]'), line(NOW + 5, 0, 'f', '-', '["b"]'));
    expect(await claim(NOW, 10)).toEqual(['p', line(NOW, NOW + 1000, 'l', 'L', '["a"]')]);
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW + 5));
    expect(await claim(NOW + 5, 10)).toEqual(['p', line(NOW + 5, NOW + 1000, 'l', 'L', '["b"]')]);
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW + 1000));
  });

  it('returns nothing where nothing is due', async () => {
    await put('p', NOW, line(NOW, 0, 'f', '-'));
    expect(await claim(NOW - 1, 10)).toEqual([]);
    expect(await claim(NOW, 0)).toEqual([]);
  });

  it('stops at the limit within a payment', async () => {
    await put('p', NOW, line(NOW, 0, 'f', '-', '["a"]'), line(NOW, 0, 'f', '-', '["b"]'));
    expect(await claim(NOW, 1)).toHaveLength(2);
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW));
  });

  it('passes over what is done, and takes a payment without entries off the queue', async () => {
    await put('done', NOW, line(NOW, NOW, 'd', 'X'));
    await redis.client.zadd(keys.reads, NOW, 'stray');
    expect(await claim(NOW + 5, 10)).toEqual([]);
    expect(await redis.client.zcard(keys.reads)).toBe(0);
  });
});

describe('release-read-2.lua', () => {
  const release = (lease: string, read: string, dueAt: number | ''): Promise<unknown> =>
    run('releaseRead', [keys.reads, keys.readEntries], ['p', lease, read, dueAt]);

  beforeEach(async () => {
    await redis.client.hset(
      keys.readEntries,
      'p',
      `${line(NOW, NOW + 9, 'l', 'L', '["a"]')}\n${line(NOW, NOW + 9, 'l', 'L', '["b"]')}`,
    );
    await redis.client.zadd(keys.reads, NOW + 9, 'p');
  });

  it('returns 1: due again at the time given', async () => {
    expect(await release('L', '["a"]', NOW + 3)).toBe(1);
    expect(await redis.client.hget(keys.readEntries, 'p')).toBe(
      `${line(NOW, NOW + 3, 'f', 'L', '["a"]')}\n${line(NOW, NOW + 9, 'l', 'L', '["b"]')}`,
    );
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW + 3));
  });

  it('returns 1: done; with the last one the payment leaves the queue', async () => {
    expect(await release('L', '["a"]', '')).toBe(1);
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW + 9));
    expect(await release('L', '["b"]', '')).toBe(1);
    expect(await redis.client.zscore(keys.reads, 'p')).toBeNull();
  });

  it.each([
    ['another lease', 'M', '["a"]'],
    ['another read', 'L', '["c"]'],
  ])('returns 0 and changes nothing for %s', async (_what, lease, read) => {
    const before = await redis.client.hget(keys.readEntries, 'p');
    expect(await release(lease, read, NOW + 3)).toBe(0);
    expect(await redis.client.hget(keys.readEntries, 'p')).toBe(before);
    expect(await redis.client.zscore(keys.reads, 'p')).toBe(String(NOW + 9));
  });

  it('returns 0 for a lease that was given back, and for a payment without reads', async () => {
    await release('L', '["a"]', '');
    expect(await release('L', '["a"]', NOW)).toBe(0);
    await redis.client.del(keys.readEntries);
    expect(await release('L', '["b"]', NOW)).toBe(0);
  });
});

describe('scan-1.lua', () => {
  it('returns the next cursor and the states of the shard alone', async () => {
    await redis.client.mset(`${keys.statePrefix}a`, '1', `${keys.statePrefix}b`, '2');
    await redis.client.hset(keys.owner, 'token', 'x');
    const other = keysOf(prefix).shard(1);
    await redis.client.set(`${other.statePrefix}c`, '3');
    const found = new Map<string, string>();
    let cursor = '0';
    do {
      const [next = '0', ...pairs] = (await run(
        'scan',
        [keys.owner],
        [cursor, `${keys.statePrefix}*`, 1000],
      )) as string[];
      for (let index = 0; index < pairs.length; index += 2) found.set(pairs[index] ?? '', pairs[index + 1] ?? '');
      cursor = next;
    } while (cursor !== '0');
    expect(found).toEqual(
      new Map([
        [`${keys.statePrefix}a`, '1'],
        [`${keys.statePrefix}b`, '2'],
      ]),
    );
  });
});
