import { expect, test } from 'vitest';
import { checkClock } from '../../../src/cli/doctor/clock-checks.ts';
import { checkWriters } from '../../../src/cli/doctor/permission-checks.ts';
import { checkDurability, checkMode } from '../../../src/cli/doctor/redis-checks.ts';
import { checkState } from '../../../src/cli/doctor/state-checks.ts';
import { runCli } from '../../support/run-cli.ts';

test('a clock is not held against the time that asking took', () => {
  expect(checkClock('Redis', 5_000, 1_000, 9_000).status).toBe('ok');
  expect(checkClock('Redis', 9_999, 1_000, 9_000).status).toBe('ok');
  expect(checkClock('Redis', 12_000, 1_000, 9_000)).toMatchObject({
    status: 'warn',
    what: 'Redis is 3.0 s ahead of this machine',
  });
  expect(checkClock('Redis', 1_000, 91_000, 92_000)).toMatchObject({
    status: 'fail',
    what: 'Redis is 90.0 s behind this machine',
  });
});

test('who may start operations must not write evidence', () => {
  const writers = new Map([
    ['operation-started', ['User:payments', 'User:countersign']],
    ['webhook-received', ['User:gateway', 'User:countersign']],
    ['readback-result', ['User:payments']],
    ['verdicts', ['User:*']],
  ]);
  expect(checkWriters(writers, 'User:countersign').map(({ status, what }) => [status, what])).toEqual([
    ['ok', 'operation-started may be written by User:payments'],
    ['ok', 'webhook-received may be written by User:gateway'],
    ['fail', 'readback-result may be written by User:payments, who may write operation-started as well'],
    ['fail', 'verdicts may be written by anybody'],
  ]);
});

test('without an authorizer permissions are not checkable', () => {
  expect(checkWriters(null, null)).toMatchObject([{ status: 'warn', what: 'not checkable: no authorizer' }]);
});

test('Redis must keep what it acknowledged, and be what the configuration says', () => {
  expect(checkDurability('r', new Map([['aof_enabled', '1']])).status).toBe('ok');
  expect(checkDurability('r', new Map([['aof_enabled', '0']])).status).toBe('warn');
  const broken = new Map([
    ['aof_enabled', '1'],
    ['aof_last_write_status', 'err'],
  ]);
  expect(checkDurability('r', broken).status).toBe('fail');
  expect(checkMode('r', new Map([['cluster_enabled', '1']]), false)).toMatchObject({ status: 'fail' });
  expect(checkMode('r', new Map([['cluster_enabled', '1']]), true)).toMatchObject({ status: 'ok' });
});

test('state and topics must have the same partitions, and the log every applied offset', () => {
  const shard = (offset: string) => ({
    shard: 0,
    applied: { 'operation-started': offset },
    bounds: new Map([
      ['operation-started', { low: 10n, high: 20n }],
      ['webhook-received', { low: 0n, high: 5n }],
    ]),
  });
  expect(checkState(null, 4, [])[0]?.status).toBe('ok');
  expect(checkState(4, 8, [])[0]).toMatchObject({
    status: 'fail',
    what: 'the state was built with 4 partitions, the topics have 8',
  });
  expect(checkState(1, 1, [shard('9')])[0]?.what).toContain('applied up to offset 9, and the log holds 10 to 20');
  expect(checkState(1, 1, [shard('21')])[0]?.status).toBe('fail');
  expect(checkState(1, 1, [shard('18')])[0]).toMatchObject({
    status: 'ok',
    what: 'the state has 1 shards; every applied offset is in the log; 7 records are left to apply',
  });
});

test('says of each problem what to do, and exits 1', async () => {
  const run = await runCli(['doctor', '--config', '/nowhere/countersign.yaml', '--json']);
  expect(run.code).toBe(1);
  const { ok, checks } = JSON.parse(run.stdout) as { ok: boolean; checks: { status: string; advice: string | null }[] };
  expect(ok).toBe(false);
  expect(checks.filter(({ status }) => status === 'fail').every(({ advice }) => (advice ?? '').length > 5)).toBe(true);
});
