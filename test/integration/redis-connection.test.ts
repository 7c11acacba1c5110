import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../scripts/stack/ports.mjs';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { diagnoseRedis } from '../../src/drivers/redis/diagnose.ts';
import { RedisShardStore } from '../../src/drivers/redis/shard-store.ts';
import type { ShardClaim, ShardCommit } from '../../src/ports/shard-store.ts';
import { ownPrefix, redisSettings } from './redis-store.ts';
import { selfSigned } from './self-signed.ts';
import { type OwnServer, ownRedis } from './servers.ts';

const commitOf = (claim: ShardClaim, value = 'state'): ShardCommit => ({
  claim,
  writes: [
    {
      paymentKey: 'square:m:p',
      value,
      expiresAt: 1e12 + 1e9,
      evaluateAt: 1e12 + 5,
      reads: [{ operationId: 'op', channel: 'c', resourceId: null, purpose: 'poll', attempt: 1, dueAt: 1e12 }],
    },
  ],
  applied: { t: '1' },
  verdicts: [{ key: 'square:m:p/op', value: '{}', traceparent: null }],
  streamTime: 1e12,
});

/** Every call of the port once: what a user must be allowed, and what must work on a kind of connection. */
const useAll = async (store: RedisShardStore): Promise<void> => {
  await store.checkPartitionCount(4);
  const claim = await store.claim(0, 'owner');
  expect(await store.commit(commitOf(claim))).toMatchObject({ outcome: 'committed' });
  expect(await store.load(0, ['square:m:p'])).toEqual(['state']);
  expect(await store.owns(0, claim.token)).toBe(true);
  expect(await store.dueEvaluations(0, 2e12, 10)).toHaveLength(1);
  expect(await store.nextEvaluation(0)).toBe(1e12 + 5);
  const [read] = await store.claimReads(0, 1e12, 2e12, 1);
  if (read === undefined) throw new Error('no read was claimed');
  await store.releaseRead(read, null);
  expect(await store.pendingVerdicts(0, 10)).toHaveLength(1);
  await store.trimVerdicts(0, claim.token, 1);
  const told: string[] = [];
  for await (const { paymentKey } of store.scan(0)) told.push(paymentKey);
  expect(told).toEqual(['square:m:p']);
};

/** A proxy before a server: `swallow` forwards what comes but ends the connection instead of handing on the next answer. */
const startProxy = async (port: number): Promise<{ url: string; swallow(): void; end(): void }> => {
  const sockets = new Set<Socket>();
  let swallowing = false;
  const server = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => {
      if (swallowing) {
        swallowing = false;
        client.destroy();
      } else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: () => {
      swallowing = true;
    },
    end: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

describe('a connection to Redis', () => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await ownRedis({ durable: true });
  });
  afterAll(() => server.dispose());

  const open = (more: Record<string, unknown> = {}) => createRedis(redisSettings({ url: server.address, ...more }));

  it('finds a commit written whose answer was lost', async () => {
    const proxy = await startProxy(server.port);
    const store = new RedisShardStore(open({ url: proxy.url }), ownPrefix());
    const commit = commitOf(await store.claim(0, 'owner'));
    proxy.swallow();
    await expect(store.commit(commit)).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE', retryable: true });
    expect(await store.commit(commit)).toMatchObject({ outcome: 'already', claim: { sequence: 1 } });
    expect(await store.pendingVerdicts(0, 10)).toHaveLength(1);
    await store.close();
    proxy.end();
  });

  it('sends a script whole again when the server forgot it', async () => {
    const redis = open();
    const store = new RedisShardStore(redis, ownPrefix());
    const claim = await store.claim(0, 'first');
    await store.commit({ ...commitOf(claim), writes: [] });
    await redis.client.script('FLUSH');
    const anew = await store.claim(0, 'second');
    await redis.client.script('FLUSH');
    expect(await store.commit({ ...commitOf(anew) })).toMatchObject({ outcome: 'committed' });
    await store.close();
  });

  it('fails fast while the server is down, and goes on when it is back', async () => {
    const store = new RedisShardStore(open(), ownPrefix());
    const claim = await store.claim(0, 'owner');
    await server.kill();
    await expect(store.commit(commitOf(claim))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    await expect(store.load(0, ['k'])).rejects.toThrow(
      /could not load states of shard 0: the connection is down \(.*ECONNREFUSED/,
    );
    await server.start();
    const outcomes = await untilAnswered(() => store.commit(commitOf(claim)));
    expect(outcomes).toMatchObject({ outcome: 'committed' });
    await store.close();
  });

  it('does not wait for a server that does not answer beyond the deadline', async () => {
    const store = new RedisShardStore(open({ command_timeout_ms: 150 }), ownPrefix());
    const claim = await store.claim(0, 'owner');
    server.freeze();
    await expect(store.commit(commitOf(claim))).rejects.toThrow(/could not commit to shard 0: no answer in time/);
    server.thaw();
    // The frozen server ran it after all, or never saw it: either way one commit is there.
    expect(['committed', 'already']).toContain((await untilAnswered(() => store.commit(commitOf(claim)))).outcome);
    expect(await store.pendingVerdicts(0, 10)).toHaveLength(1);
    await store.close();
  });

  it('needs no more than the commands of an ACL user, on the keys of its prefix', async () => {
    const admin = open();
    const prefix = ownPrefix();
    const { client } = admin;
    const rights = '+@read +@write +@scripting +time +info +ping -@dangerous +info'.split(' ');
    await client.call(
      'ACL',
      'SETUSER',
      'countersign',
      'on',
      '>s3cret/pass',
      'resetkeys',
      `~{${prefix}[:}]*`,
      'nocommands',
      ...rights,
    );
    const store = new RedisShardStore(open({ username: 'countersign', password: 's3cret/pass' }), prefix);
    await useAll(store);
    const elsewhere = new RedisShardStore(
      open({ url: `redis://countersign:s3cret%2Fpass@127.0.0.1:${server.port}` }),
      ownPrefix(),
    );
    await expect(elsewhere.load(0, ['k'])).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    await Promise.all([store.close(), elsewhere.close(), admin.close()]);
  });

  it('keeps the password and the state out of its errors', async () => {
    const store = new RedisShardStore(open({ username: 'nobody', password: 'hunter2' }), ownPrefix());
    const error = await store.load(0, ['secret-payment']).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'STATE_UNAVAILABLE', message: expect.stringMatching(/WRONGPASS/) });
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/hunter2|secret-payment/);
    await store.close();
  });

  it('says what is wrong with a server that evicts or is full', async () => {
    const redis = open();
    expect((await diagnoseRedis(redis)).map(({ check, ok }) => [check, ok])).toEqual([
      ['version', true],
      ['maxmemory-policy', true],
      ['memory', true],
    ]);
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await redis.client.config('SET', 'maxmemory', 1_000_000);
    const found = await diagnoseRedis(redis);
    await redis.client.config('SET', 'maxmemory', 0);
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    expect(found).toMatchObject([
      { ok: true },
      {
        ok: false,
        server: `127.0.0.1:${server.port}`,
        detail: 'allkeys-lru',
        advice: expect.stringMatching(/noeviction/),
      },
      { ok: false, advice: expect.stringMatching(/maxmemory/) },
    ]);
    await redis.close();
  });

  it('writes nothing of a commit that a full server refuses', async () => {
    const redis = open();
    const store = new RedisShardStore(redis, ownPrefix());
    const claim = await store.claim(0, 'owner');
    await redis.client.config('SET', 'maxmemory', 1);
    await expect(store.commit(commitOf(claim))).rejects.toThrow(/OOM/);
    await redis.client.config('SET', 'maxmemory', 0);
    expect(await store.pendingVerdicts(0, 10)).toEqual([]);
    expect(await store.commit(commitOf(claim))).toMatchObject({ outcome: 'committed' });
    await store.close();
  });

  it('refuses settings without a URL', () => {
    expect(() => open({ url: undefined })).toThrow(/redis\.url is missing/);
  });
});

/** Asks again, as the owner of a shard does, until the connection is there. The client's own attempts set the pace. */
const untilAnswered = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 100) throw error;
    }
  }
};

describe('a connection to Redis over TLS', () => {
  let folder: string;
  let server: OwnServer;
  let tlsPort: number;
  let ca: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-redis-tls-'));
    const { certificate, key } = selfSigned();
    ca = certificate;
    writeFileSync(join(folder, 'cert.pem'), certificate);
    writeFileSync(join(folder, 'key.pem'), key);
    [tlsPort = 0] = await freePorts(1);
    const files = ['cert', 'key'].flatMap((name) => [`--tls-${name}-file`, join(folder, `${name}.pem`)]);
    server = await ownRedis({
      options: [
        '--tls-port',
        String(tlsPort),
        ...files,
        '--tls-ca-cert-file',
        join(folder, 'cert.pem'),
        '--tls-auth-clients',
        'optional',
      ],
    });
  });
  afterAll(async () => {
    await server.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('works with a certificate authority of one’s own', async () => {
    const store = new RedisShardStore(
      createRedis(redisSettings({ url: `rediss://127.0.0.1:${tlsPort}`, tls: { ca } })),
      ownPrefix(),
    );
    await useAll(store);
    await store.close();
  });

  it('does not talk to a server whose certificate it cannot trust', async () => {
    const store = new RedisShardStore(
      createRedis(redisSettings({ url: `redis://127.0.0.1:${tlsPort}`, tls: { enabled: true } })),
      ownPrefix(),
    );
    await expect(store.claim(0, 'owner')).rejects.toThrow(/the connection is down \(.*self-signed/);
    await store.close();
  });
});
