import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createApiKey } from '../../../src/producers/gateway/api-key.ts';
import { squareBody, squareHeaders } from '../../support/deliveries.ts';
import { CAPTURE, settled, started } from '../../support/paypal-log.ts';
import { runCli } from '../../support/run-cli.ts';
import { type RunningServe, startServe } from '../../support/run-serve.ts';

// Each starts processes of its own, which takes a while where the sources are not built.
vi.setConfig({ testTimeout: 180_000 });

let folder: string;
const running: RunningServe[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-serve-'));
});
afterEach(async () => {
  for (const serve of running.splice(0)) await serve.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const start = async (...args: string[]): Promise<RunningServe> => {
  const serve = await startServe(['--data', join(folder, 'data'), ...args]);
  running.push(serve);
  return serve;
};

const recordOf = (line: string): object => (JSON.parse(line) as { value: object }).value;

const post = (serve: RunningServe, body: string, type = 'application/json', headers = {}): Promise<Response> =>
  fetch(`${serve.address}/v1/records`, { method: 'POST', body, headers: { 'content-type': type, ...headers } });

const verdictIds = (path = join(folder, 'data', 'verdicts.jsonl')): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { verdict_id: string }).verdict_id);

const ID = (operation: string, revision: number, capture = CAPTURE): string =>
  `paypal:merchant-1:${capture}/${operation}:${revision}`;

it('takes records by HTTP, says what became of each, and tells the operation', async () => {
  const serve = await start();
  const lines = settled('op-1', 'R1').map((line) => JSON.stringify(recordOf(line)));
  const first = await post(serve, lines[0] ?? '');
  expect(first.status).toBe(202);
  expect(await first.json()).toEqual({
    records: [{ kind: 'operation.started', operation_id: 'op-1', outcome: 'applied' }],
  });
  const conflict = JSON.stringify({ ...recordOf(started('op-1', 0)), idempotency_key: 'another' });
  const rest = await post(serve, [...lines.slice(1), conflict].join('\n'), 'application/x-ndjson');
  const { records } = (await rest.json()) as { records: { outcome: string; code?: string }[] };
  expect(records.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied', 'dead_letter']);
  expect(records[3]?.code).toBe('OPERATION_CONFLICT');

  const answer = await fetch(`${serve.address}/v1/operations/op-1`);
  const told = (await answer.json()) as {
    verdict: { verdict: string };
    timeline: { entries: { sentence?: string }[]; conditions: { name: string; result: string }[] };
  };
  expect(told.verdict.verdict).toBe('VERIFIED');
  const sentences = told.timeline.entries.flatMap(({ sentence = null }) => sentence ?? []);
  expect(sentences.join('\n')).toContain('PayPal sent the event PAYMENT.CAPTURE.REFUNDED about refund R1');
  expect(told.timeline.conditions.find(({ name }) => name === 'refund_amount_matches')?.result).toBe('true');
  expect(serve.printed.map((line) => (JSON.parse(line) as { verdict_id: string }).verdict_id)).toEqual(verdictIds());
  expect((await fetch(`${serve.address}/v1/operations/nobody`)).status).toBe(404);
});

it('refuses a record that is not right by its field, and takes none of the others', async () => {
  const serve = await start();
  const good = JSON.stringify(recordOf(started('op-1', 0)));
  const bad = JSON.stringify({ ...recordOf(started('op-2', 0)), account: 'no account' });
  const answer = await post(serve, `${good}\n${bad}`, 'application/x-ndjson');
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  const problem = (await answer.json()) as { field: string; detail: string; errors: { line: number }[] };
  expect(problem.field).toBe('account');
  expect(problem.detail).toContain('account was "no account", should be an account name');
  expect(problem.errors.map(({ line }) => line)).toEqual([2]);
  expect(await (await fetch(`${serve.address}/v1/operations`)).json()).toEqual({ verdicts: [], more: false });
  const bogus = await fetch(`${serve.address}/v1/operations?verdict=BOGUS`);
  expect(bogus.status).toBe(400);
  expect(bogus.headers.get('content-type')).toContain('application/problem+json');
  expect(await bogus.json()).toMatchObject({ field: 'verdict', detail: expect.stringContaining('was "BOGUS"') });
});

it('says that an operation of long ago is judged by the clock, once, and how to have it watched', async () => {
  const serve = await start();
  await post(serve, JSON.stringify(recordOf(started('op-1', 0))));
  await post(serve, JSON.stringify(recordOf(started('op-2', 1, 'CAP2'))));
  const watched = { ...recordOf(started('op-3', 2, 'CAP3')), observe_from: new Date().toISOString() };
  await post(serve, JSON.stringify(watched));
  const { verdicts } = (await (await fetch(`${serve.address}/v1/operations`)).json()) as {
    verdicts: { verdict: string }[];
  };
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['UNVERIFIABLE', 'UNVERIFIABLE', 'PENDING']);
  const said = serve.logged.filter((line) => line.includes('observe_from'));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('op-1');
});

it('judges by the contracts that it is told to, and whoever looks at its folder does so too', async () => {
  const contracts = join(folder, 'contracts', 'paypal.refund.completed');
  mkdirSync(contracts, { recursive: true });
  const shipped = readFileSync(
    new URL('../../../contracts/paypal.refund.completed/1.1.0.yaml', import.meta.url),
    'utf8',
  );
  writeFileSync(join(contracts, '9.0.0.yaml'), shipped.replace(/version: 1\.1\.0/, 'version: 9.0.0'));
  const serve = await start('--contracts', join(folder, 'contracts'));
  await post(
    serve,
    settled('op-1', 'R1')
      .map((line) => JSON.stringify(recordOf(line)))
      .join('\n'),
    'application/x-ndjson',
  );
  const told = (await (await fetch(`${serve.address}/v1/operations/op-1`)).json()) as {
    verdict: { verdict: string; contract: { version: string } };
  };
  expect(told.verdict).toMatchObject({ verdict: 'VERIFIED', contract: { version: '9.0.0' } });
  await serve.stop('SIGTERM');
  const explained = await runCli(['explain', 'op-1', '--data', join(folder, 'data'), '--json']);
  expect(JSON.parse(explained.stdout).contract.version).toBe('9.0.0');
});

it('lists and shows what it has set aside, running or not', async () => {
  const serve = await start();
  await post(serve, JSON.stringify(recordOf(started('op-1', 0))));
  await post(serve, JSON.stringify({ ...recordOf(started('op-1', 0)), idempotency_key: 'another' }));
  const letters = ['dead-letter', 'list', '--data', join(folder, 'data')];
  const listed = JSON.parse((await runCli([...letters, '--json'])).stdout);
  expect(listed).toMatchObject({ id: '1', code: 'OPERATION_CONFLICT', topic: 'operation-started' });
  expect((await runCli([...letters, '--code', 'SIGNATURE_INVALID'])).stdout).toContain('No dead letters.');
  await serve.stop('SIGTERM');
  expect((await runCli(letters)).stdout).toContain('OPERATION_CONFLICT');
  const shown = await runCli(['dead-letter', 'show', '1', '--data', join(folder, 'data'), '--json']);
  expect(JSON.parse(JSON.parse(shown.stdout).value.text)).toMatchObject({ idempotency_key: 'another' });
  const none = await runCli(['dead-letter', 'show', '7', '--data', join(folder, 'data')]);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no dead letter 7') });
  const redrive = await runCli(['dead-letter', 'redrive', '1', '--data', join(folder, 'data')]);
  expect(redrive).toMatchObject({ code: 2, stderr: expect.stringContaining('/v1/records') });
});

it('refuses requests that a web page sends', async () => {
  const serve = await start();
  const good = JSON.stringify(recordOf(started('op-1', 0)));
  expect((await post(serve, good, 'text/plain')).status).toBe(415);
  expect((await post(serve, good, 'application/json', { origin: 'https://elsewhere.example' })).status).toBe(403);
});

it('follows a file through kills without losing or doubling a revision', async () => {
  const path = join(folder, 'records.jsonl');
  const story = (number: number): string[] => settled(`op-${number}`, `R${number}`, `CAP${number}`);
  writeFileSync(path, '');
  const verdicts = join(folder, 'out.jsonl');
  const expected: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const serve = await start('--follow', path, '--verdicts', verdicts);
    for (let number = round * 200; number < (round + 1) * 200; number += 1) {
      appendFileSync(path, `${story(number).join('\n')}\n`);
      expected.push(ID(`op-${number}`, 1, `CAP${number}`), ID(`op-${number}`, 2, `CAP${number}`));
    }
    // Somewhere in the middle of the round, and at its end in the last.
    const enough = round === 2 ? expected.length : expected.length - 350;
    await vi.waitFor(() => expect(verdictIds(verdicts).length).toBeGreaterThanOrEqual(enough), { timeout: 60_000 });
    await serve.stop('SIGKILL');
  }
  const found = verdictIds(verdicts);
  expect(new Set(found).size).toBe(found.length);
  expect(found.sort()).toEqual(expected.sort());
});

it('mends a verdicts file whose last line a crash cut off', async () => {
  const first = await start();
  await post(first, JSON.stringify(recordOf(started('op-1', 0))));
  await post(first, JSON.stringify(recordOf(started('op-2', 0, 'CAP2'))));
  await first.stop('SIGKILL');
  const path = join(folder, 'data', 'verdicts.jsonl');
  writeFileSync(path, readFileSync(path).subarray(0, -40));
  expect(() => verdictIds()).toThrow();
  await start();
  expect(verdictIds()).toEqual([ID('op-1', 1), ID('op-2', 1, 'CAP2')]);
});

it('sets aside lines of standard input that are no record, and takes the others', async () => {
  const serve = await start('--stdin');
  serve.child.stdin?.write(`nonsense\n${started('op-1', 0)}\n`);
  await vi.waitFor(() => expect(verdictIds()).toEqual([ID('op-1', 1)]), { timeout: 10_000 });
  const line = JSON.parse(readFileSync(join(folder, 'data', 'dead-letters.jsonl'), 'utf8')) as { reason: string };
  expect(line.reason).toContain('-:1: not JSON');
  await serve.stop('SIGTERM');
  expect(serve.child.exitCode).toBe(0);
});

it('takes webhooks and operations as the gateway does, and tells them back', async () => {
  const config = join(folder, 'countersign.yaml');
  const url = 'https://pay.example/webhooks/square/default';
  const endpoint = `{ provider: square, account: merchant-1, signature_keys: [square-key], notification_url: "${url}" }`;
  writeFileSync(config, `endpoints:\n  - ${endpoint}\n`);
  const serve = await start('--config', config);
  const send = (path: string, body: string, headers = {}): Promise<Response> =>
    fetch(`${serve.address}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const operation = {
    operation_id: 'op-1',
    provider: 'square',
    account: 'merchant-1',
    contract: { id: 'square.refund.completed' },
    input: { payment_id: 'pay1', amount: 1000, currency: 'USD' },
  };
  expect((await send('/v1/operations', JSON.stringify(operation))).status).toBe(202);
  const action = JSON.stringify({ action: { result: { refund: { id: 'pay1_r1', status: 'PENDING' } } } });
  expect((await send('/v1/operations/op-1/action', action)).status).toBe(202);
  const body = squareBody();
  expect((await send('/webhooks/square/default', body, squareHeaders(body, 'another'))).status).toBe(401);
  expect((await send('/webhooks/square/default', body, squareHeaders(body))).status).toBe(200);
  const told = (await (await fetch(`${serve.address}/v1/operations/op-1`)).json()) as {
    verdict: { verdict: string; input: { amount: number } };
    revisions: unknown[];
    timeline: { entries: { sentence?: string }[] };
  };
  expect(told.verdict).toMatchObject({ verdict: 'PENDING', input: { amount: 1000 } });
  expect(told.revisions.length).toBeGreaterThan(0);
  const sentences = told.timeline.entries.map(({ sentence = '' }) => sentence).join('\n');
  expect(sentences).toContain('Square sent the event refund.updated');
});

it('asks for API keys everywhere once there are any', async () => {
  const config = join(folder, 'countersign.yaml');
  const { key, hash } = createApiKey('reader');
  const entry = { id: 'reader', hash, scopes: ['operations:read'] };
  writeFileSync(config, JSON.stringify({ gateway: { api_keys: [entry] } }));
  const serve = await start('--config', config);
  const statusOf = async (path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${serve.address}${path}`, init)).status;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  expect(await statusOf('/v1/operations')).toBe(401);
  expect(await statusOf('/v1/operations/op-1')).toBe(401);
  expect(await statusOf('/v1/operations', { headers })).toBe(200);
  expect(await statusOf('/v1/operations/op-1', { headers })).toBe(404);
  const record = JSON.stringify(recordOf(started('op-1', 0)));
  expect(await statusOf('/v1/records', { method: 'POST', headers, body: record })).toBe(403);
  expect(await statusOf('/healthz')).toBe(200);
});
