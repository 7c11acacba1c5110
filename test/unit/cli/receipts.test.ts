import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { publicKeys } from '../../../src/receipts/index.ts';
import { printJson } from '../../../src/records/json-text.ts';
import { sealerWith, TestShard, testKey, verdictOf } from '../../support/receipts.ts';
import { runCli } from '../../support/run-cli.ts';
import { runHere } from '../../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-receipts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(path(name), text);
  return path(name);
};

const key = testKey('k1');
const keys = write('keys.public.json', JSON.stringify(publicKeys([key])));
const shard = new TestShard(sealerWith(key));
const { jws, records } = await shard.publish([
  verdictOf('op-1', 1),
  verdictOf('op-2', 1),
  verdictOf('op-1', 2, { verdict: 'FAILED' }),
]);
const lines = records.map((record) => printJson(record as never));
const log = write('receipts.jws', jws.join('\n'));

describe('countersign receipts', () => {
  it('verifies files offline, and says what is wrong by line and code', async () => {
    const verdicts = write('verdicts.jsonl', lines.join('\n'));
    const good = await runHere(['receipts', 'verify', verdicts, log, '--keys', keys]);
    expect(good).toMatchObject({ code: 0, stdout: 'All of it holds: 6 receipts of 2 operations.\n', stderr: '' });

    const wrong = write('wrong.jsonl', lines.join('\n').replace('"verdict":"FAILED"', '"verdict":"VERIFIED"'));
    const bad = await runHere(['receipts', 'verify', wrong, log, '--keys', keys]);
    expect(bad.code).toBe(4);
    expect(bad.stdout).toContain(
      `${wrong}:3: RECEIPT_ALTERED ${records[2]?.verdict_id}: verdict: not what was sealed (${log}:3)`,
    );
    const json = await runHere(['receipts', 'verify', wrong, log, '--keys', keys, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      problems: [{ code: 'RECEIPT_ALTERED', at: `${wrong}:3` }],
    });
  });

  it('exports what is asked for, so that verify takes it', async () => {
    const verdicts = write('verdicts.jsonl', lines.join('\n'));
    const all = await runHere(['receipts', 'export', verdicts]);
    expect(all).toMatchObject({ code: 0, stdout: `${jws.join('\n')}\n` });
    const one = await runHere([
      'receipts',
      'export',
      verdicts,
      '--operation',
      'op-1',
      '--since',
      '2026-09-01T12:02:00Z',
    ]);
    expect(one.stdout).toBe(`${jws[2]}\n`);
    const piped = await runCli(['receipts', 'verify', '-', '--keys', keys], { stdin: all.stdout });
    expect(piped.code).toBe(0);
  });

  it('audits a log, and with the head of an earlier audit finds what was taken from its end', async () => {
    const first = await runHere(['receipts', 'audit', log, '--keys', keys]);
    expect(first.code).toBe(0);
    const [, head = ''] = /^head (\S+)$/m.exec(first.stdout) ?? [];
    expect(head).toBe(`receipts/0:3:${shard.head.hash}`);
    const cut = write('cut.jws', jws.slice(0, 2).join('\n'));
    expect((await runHere(['receipts', 'audit', cut, '--keys', keys])).code).toBe(0);
    const second = await runHere(['receipts', 'audit', cut, '--keys', keys, '--head', head]);
    expect(second.code).toBe(4);
    expect(second.stdout).toContain('CHAIN_REMOVED: receipts/0 ends at sequence 2, and an earlier audit saw 3');
  });

  it('refuses what it was not given right', async () => {
    expect(await runHere(['receipts', 'verify', path('none'), '--keys', keys])).toMatchObject({ code: 2 });
    expect(await runHere(['receipts', 'verify', log, '--keys', log])).toMatchObject({ code: 2 });
    expect(await runHere(['receipts', 'audit', log, '--keys', keys, '--head', 'nonsense'])).toMatchObject({ code: 2 });
  });
});

describe('countersign keys', () => {
  const file = path('keys.json');
  const secrets = (): string[] => [...readFileSync(file, 'utf8').matchAll(/"d": "([^"]+)"/g)].map(([, d = '']) => d);
  const shown: string[] = [];
  const run = async (...args: string[]) => {
    const done = await runHere(['keys', ...args]);
    shown.push(done.stdout, done.stderr);
    return done;
  };

  it('makes a key file for its owner alone, and a public key set beside it', async () => {
    expect((await run('generate', file)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    shown.push(readFileSync(path('keys.public.json'), 'utf8'));
    const again = await run('generate', file);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') });
  });

  it('rotates ahead, and not behind', async () => {
    expect((await run('rotate', file, '--at', '2020-01-01T00:00:00Z')).code).toBe(2);
    expect((await run('rotate', file, '--at', '2099-01-01T00:00:00Z')).code).toBe(0);
    const { stdout } = await run('list', file);
    expect(stdout).toMatch(/ seals +ever +2099-01-01T00:00:00\.000Z\n/);
    expect(stdout).toMatch(/ next +2099-01-01T00:00:00\.000Z +ever\n/);
  });

  it('revokes a key, and puts another in its place', async () => {
    const { keys: before } = JSON.parse((await run('list', file, '--json')).stdout) as { keys: { kid: string }[] };
    expect((await run('revoke', file, 'nobody')).code).toBe(2);
    expect((await run('revoke', file, before[0]?.kid ?? '', '--from', '2026-01-01T00:00:00Z')).code).toBe(0);
    const { keys: after } = JSON.parse((await run('list', file, '--json')).stdout) as { keys: object[] };
    expect(after).toMatchObject([
      { state: 'revoked', revoked_from: '2026-01-01T00:00:00.000Z' },
      { state: 'next' },
      { state: 'seals', not_after: '2099-01-01T00:00:00.000Z' },
    ]);
    expect((await run('list', path('keys.public.json'))).stdout).toContain('revoked');
  });

  it('shows no private key, whatever it is asked', () => {
    expect(secrets()).toHaveLength(3);
    for (const d of secrets()) expect(shown.join('\n')).not.toContain(d);
  });
});
