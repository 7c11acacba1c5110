import { afterEach, expect, test } from 'vitest';
import { type HealthServer, type Readiness, startHealthServer } from '../../../src/observability/health-server.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

async function start(readiness: () => Readiness) {
  const metrics = createMetrics();
  server = await startHealthServer({ host: '127.0.0.1', port: 0, metrics, readiness });
  const { address } = server;
  return { metrics, get: (path: string) => fetch(`${address}${path}`) };
}

test('alive is not ready: each has its own answer', async () => {
  const { get } = await start(() => ({ ready: false, reasons: ['verdicts/3 has lag 12 and no progress for 61 s'] }));
  expect((await get('/healthz')).status).toBe(200);
  const ready = await get('/readyz');
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({
    status: 'not ready',
    reasons: ['verdicts/3 has lag 12 and no progress for 61 s'],
  });
});

test('a ready role answers 200 with its facts', async () => {
  const { get } = await start(() => ({ ready: true, reasons: [], facts: { lag: 0 } }));
  const ready = await get('/readyz');
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', reasons: [], facts: { lag: 0 } }]);
});

test('a role that cannot tell is not ready, and says why', async () => {
  const { get } = await start(() => {
    throw new Error('no broker');
  });
  const ready = await get('/readyz');
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain('no broker');
});

test('/metrics is the Prometheus text of what was counted', async () => {
  const { get, metrics } = await start(() => ({ ready: true, reasons: [] }));
  metrics.deadLetters.inc({ code: 'SIGNATURE_INVALID' });
  const answer = await get('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('countersign_dead_letters_total{code="SIGNATURE_INVALID"} 1');
});

test('an address with a malformed percent-encoding is answered as a problem', async () => {
  const { get } = await start(() => ({ ready: true, reasons: [] }));
  const answer = await get('/v1/operations/%zz');
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(await answer.json()).toMatchObject({ status: 400, detail: expect.stringContaining('%zz') });
});
