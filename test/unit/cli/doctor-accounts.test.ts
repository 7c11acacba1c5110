import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkAccounts } from '../../../src/cli/doctor/account-checks.ts';
import { checkEndpoints } from '../../../src/cli/doctor/endpoint-checks.ts';
import type { Account } from '../../../src/providers/account.ts';
import { secret, squareEndpoint, stripeEndpoint } from '../../support/deliveries.ts';
import { CALLS } from '../../support/provider-answers.ts';
import { runCli } from '../../support/run-cli.ts';

const NOW = Date.parse('2026-09-01T12:00:00Z');

const square: Account = { ...CALLS, provider: 'square', accessToken: 'token', apiVersion: '2026-08-19' };

const said = (checks: readonly { readonly status: string; readonly what: string }[]): string[] =>
  checks.map(({ status, what }) => `${status} ${what}`);

describe('an endpoint’s secrets', () => {
  test.each([
    [
      'one without an end',
      [secret('a')],
      'ok square/default (merchant-1): a signature key is in force, without an end',
    ],
    [
      'a rotation without a gap',
      [secret('a', undefined, '2026-09-03T00:00:00Z'), secret('b', '2026-09-02T00:00:00Z')],
      'ok square/default (merchant-1): a signature key is in force, without an end',
    ],
    [
      'the last one ends soon',
      [secret('a', undefined, '2026-09-10T00:00:00Z')],
      'warn square/default (merchant-1): no signature key is in force from 2026-09-10T00:00:00.000Z on',
    ],
    [
      'a gap that comes soon',
      [secret('a', undefined, '2026-09-03T00:00:00Z'), secret('b', '2026-09-04T00:00:00Z')],
      'warn square/default (merchant-1): no signature key is in force from 2026-09-03T00:00:00.000Z on',
    ],
    [
      'none now, one later',
      [secret('a', undefined, '2026-09-01T12:00:00Z'), secret('b', '2026-10-01T00:00:00Z')],
      'fail square/default (merchant-1): no signature key is in force now; the next one is from 2026-10-01T00:00:00.000Z',
    ],
  ])('%s', (_name, keys, expected) => {
    expect(said(checkEndpoints([squareEndpoint(keys)], NOW))).toEqual([expected]);
  });
});

describe('accounts', () => {
  test('what is heard of and cannot be read back is told, and the other way round', async () => {
    const accepted = async () => ({ outcome: 'accepted', remarks: [] }) as const;
    const checks = await checkAccounts([square], [stripeEndpoint()], accepted);
    expect(said(checks)).toEqual([
      'ok square:merchant-1: https://api.example takes its credentials',
      'warn stripe:merchant-1 has an endpoint and is not in accounts',
      'warn square:merchant-1 has no endpoint here',
    ]);
    const shared = { ...squareEndpoint(), account: null, accountField: 'merchant_id' };
    expect(said(await checkAccounts([square], [shared], accepted)).length).toBe(1);
  });

  test.each([
    ['auth', 'fail'],
    ['network', 'fail'],
    ['timeout', 'fail'],
    ['malformed', 'fail'],
    ['rate_limited', 'warn'],
    ['server', 'warn'],
  ] as const)('an answer of %s is a %s, with what to do', async (kind, status) => {
    const probe = async () =>
      ({ outcome: 'error', kind, message: 'HTTP 400', httpStatus: 400, retryAfterMs: null }) as const;
    const [check] = await checkAccounts([square], [squareEndpoint()], probe);
    expect(check).toMatchObject({ status, advice: expect.stringMatching(/.{20}/) });
  });
});

describe('the command', () => {
  const ending: (() => void)[] = [];
  afterEach(() => {
    for (const end of ending.splice(0).reverse()) end();
  });

  const report = async (config: object, ...more: readonly string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-doctor-'));
    ending.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'countersign.yaml');
    writeFileSync(file, JSON.stringify(config));
    const run = await runCli(['doctor', '--config', file, '--json', ...more]);
    const { checks } = JSON.parse(run.stdout) as { checks: { area: string; status: string; what: string }[] };
    return { run, lines: said(checks.filter(({ area }) => area === 'accounts' || area === 'endpoints')) };
  };

  test('asks the provider as a worker would, and shows no secret; offline it asks nobody', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', detail: request.headers.authorization }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ending.push(() => server.close());
    const api_base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = {
      accounts: [{ provider: 'square', account: 'merchant-1', access_token: 'the-square-token', api_base }],
      readback: { allow_private: true, hosts: ['127.0.0.1'] },
    };
    const { run, lines } = await report(config);
    expect(run.code).toBe(1);
    expect(lines[0]).toBe(`fail square:merchant-1: ${api_base} answers HTTP 401 UNAUTHORIZED`);
    expect(run.stdout).not.toContain('the-square-token');
    expect(asked).toEqual(['GET /v2/refunds?limit=1']);

    const offline = await report({ ...config, kafka: { brokers: ['127.0.0.1:1'] } }, '--offline');
    expect(offline.run.code).toBe(0);
    expect(offline.lines[0]).toContain('nobody was asked (--offline)');
    expect(asked.length).toBe(1);
  });

  test('a credential that does not resolve is named by its key', async () => {
    const config = { accounts: [{ provider: 'square', account: 'm', access_token: { env: 'NO_SUCH_TOKEN' } }] };
    const { run } = await report(config, '--offline');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('accounts[0].access_token: the environment variable NO_SUCH_TOKEN is not set');
  });
});
