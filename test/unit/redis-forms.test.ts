import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose, parseInfo } from '../../src/drivers/redis/diagnose.ts';
import { keysOf } from '../../src/drivers/redis/keys.ts';
import { parsePending, pendingText } from '../../src/drivers/redis/pending-verdict.ts';
import { parseClaimedLine, readLine } from '../../src/drivers/redis/read-entry.ts';
import { faultOf, stateUnavailable } from '../../src/drivers/redis/redis-error.ts';

describe("the store's keys in Redis", () => {
  it("begin with the shard's hash tag, each different", () => {
    const keys = Object.values(keysOf('countersign').shard(12));
    for (const key of keys) expect(key.startsWith('{countersign:12}:')).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('differ between shards and prefixes that look alike', () => {
    const all = ['a', 'a.1', 'a-1'].flatMap((prefix) => [1, 11].map((shard) => keysOf(prefix).shard(shard).owner));
    expect(new Set(all).size).toBe(6);
  });

  it.each(['', 'a:b', 'a}b', 'a b', '*', 'x'.repeat(129)])('are refused for the prefix "%s"', (prefix) => {
    expect(() => keysOf(prefix)).toThrow(/Redis prefix is/);
  });
});

describe("the store's texts in Redis", () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 30 });

  it('give a pending verdict back', () => {
    fc.assert(
      fc.property(fc.nat(), anyText, anyText, fc.option(anyText), (sequence, key, value, traceparent) => {
        const verdict = { sequence, key, value, traceparent };
        expect(parsePending(pendingText(verdict))).toEqual(verdict);
      }),
    );
  });

  it('give a claimed read back, on one line whatever its ids hold', () => {
    // Half of a surrogate pair among them: text that is no UTF-8 as it stands.
    const id = fc.oneof(anyText, fc.constant('\ud800'), fc.constant('a\nb'));
    fc.assert(
      fc.property(id, id, fc.option(id), fc.nat(), fc.nat(), (operationId, channel, resourceId, attempt, dueAt) => {
        const read = { operationId, channel, resourceId, purpose: 'poll', attempt, dueAt } as const;
        const line = readLine(read);
        expect(line).not.toContain('\n');
        expect(Buffer.from(line).toString()).toBe(line);
        const leased = line.replace(/^(\d+) 0 f -/, '$1 99 l lease-1');
        expect(parseClaimedLine(4, 'p', leased)).toEqual({ ...read, shard: 4, paymentKey: 'p', lease: 'lease-1' });
      }),
    );
  });

  it('say what is wrong with a line that is not leased', () => {
    expect(() => parseClaimedLine(0, 'p', '1 0 f - []')).toThrow(/no leased line/);
  });
});

describe("the store's scripts", () => {
  const folder = new URL('../../src/drivers/redis/scripts/', import.meta.url);

  it.each(readdirSync(folder))('%s lists every slot that it uses, and is named with its number of keys', (file) => {
    const lua = readFileSync(new URL(file, folder), 'utf8');
    const [header = '', body = ''] = lua.split('\n]]\n');
    expect(header).toMatch(/^--\[\[\n/);
    expect(header).toMatch(/\n {2}Returns/);
    const used = new Set([...body.matchAll(/\b(KEYS|ARGV)\[(\d+)\]/g)].map(([slot]) => slot));
    for (const slot of used) expect(header).toContain(slot);
    const count = /-(\d+|n)\.lua$/.exec(file)?.[1];
    const listed = [...header.matchAll(/^ {2}KEYS\[(\d+)(\.\.\.)?\]/gm)];
    if (count === 'n') expect(listed.at(-1)?.[2]).toBe('...');
    else expect(listed.map(([, n]) => n)).toEqual(Array.from({ length: Number(count) }, (_, n) => String(n + 1)));
  });
});

describe('an error of Redis', () => {
  it('is told in one sentence, with what last went wrong with the connection', () => {
    const gaveUp = new Error('Reached the max retries per request limit (which is 0). Refer to …');
    expect(stateUnavailable('load a', gaveUp, 'connect ECONNREFUSED').message).toBe(
      'Redis could not load a: the connection is down (connect ECONNREFUSED)',
    );
    expect(stateUnavailable('load a', gaveUp).message).toBe('Redis could not load a: the connection is down');
    expect(stateUnavailable('load a', new Error('')).message).toBe('Redis could not load a: it gave no reason');
    expect(stateUnavailable('load a', 'odd').message).toBe('Redis could not load a: odd');
  });

  it('names the fault of the last node of a cluster', () => {
    const all = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: new Error('WRONGPASS') });
    expect(faultOf(all)).toBe('WRONGPASS');
    expect(faultOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
    expect(faultOf('text')).toBe('text');
  });
});

describe('the diagnosis of a server', () => {
  it('finds an old version, eviction and too little room', () => {
    const info = parseInfo(
      '# Server\r\nredis_version:5.0.14\r\n\r\nused_memory:90\r\nmaxmemory:100\r\nmaxmemory_policy:allkeys-lru\r\n',
    );
    expect(diagnose('h:1', info).map(({ ok }) => ok)).toEqual([false, false, false]);
  });

  it('takes a server without answers for one that is not right', () => {
    expect(diagnose('h:1', parseInfo('')).map(({ check, ok }) => [check, ok])).toEqual([
      ['version', false],
      ['maxmemory-policy', false],
      ['memory', true],
    ]);
  });
});
