import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rawHttp } from '../../support/raw-http.ts';
import { type RunningServe, startServe } from '../../support/run-serve.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const RECORD = JSON.stringify({
  kind: 'operation.started',
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  contract: { id: 'paypal.refund.completed' },
  created_at: new Date().toISOString(),
  input: { capture_id: '3C679366HH908993R', amount: '10.00', currency_code: 'USD' },
});

let folder: string;
let serve: RunningServe;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-hostile-'));
  serve = await startServe(['--data', folder]);
  port = Number(new URL(serve.address).port);
});
afterAll(async () => {
  await serve.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

const journal = (): Buffer => readFileSync(join(folder, 'journal'));

const post = (body: Buffer): Promise<Response> =>
  fetch(`${serve.address}/v1/records`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array(body),
  });

const chunked = (body: Buffer): Promise<string> =>
  rawHttp(
    port,
    'POST /v1/records HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    `${body.length.toString(16)}\r\n`,
    body,
    '\r\n0\r\n\r\n',
  );

const NOT_UTF8 = Buffer.from(RECORD.replace('op-1', 'op-\u00ff'), 'latin1');

it.each([
  ['bytes that are not UTF-8', NOT_UTF8],
  ['half a surrogate pair', Buffer.from(RECORD.replace('op-1', '\\ud800'))],
  ['deep JSON', Buffer.from(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)],
  ['zero bytes', Buffer.alloc(1_000)],
])('takes no %s, with a length or in chunks, and lives on', async (_what, bytes) => {
  const before = journal();
  expect((await post(bytes)).status).toBe(400);
  expect(await chunked(bytes)).toContain('HTTP/1.1 400');
  expect(journal().equals(before)).toBe(true);
  expect((await fetch(`${serve.address}/healthz`)).status).toBe(200);
});

it.each([
  ['a body that is announced too large', 413, ['Content-Type: application/json', 'Content-Length: 1000000000']],
  ['another content type', 415, ['Content-Type: text/html', 'Content-Length: 2']],
  ['a flood of headers', 431, Array.from({ length: 4_000 }, (_, n) => `X-Flood-${n}: ${'y'.repeat(50)}`)],
])('answers %s with %d', async (_what, status, lines) => {
  const request = ['POST /v1/records HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', ...lines, '', '{}'].join(
    '\r\n',
  );
  expect(await rawHttp(port, request)).toContain(`HTTP/1.1 ${status}`);
  expect((await post(Buffer.from(RECORD))).status).toBe(202);
});
