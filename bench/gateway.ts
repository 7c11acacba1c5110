/**
 * Requests a second and p99 of `POST /webhooks/…` beside a bare fastify that only reads the body, over loopback, in one run: the
 * two are measured in turns, so that what else the machine does hits both. The log is in memory: what is measured is the edge, as
 * it is built.
 *
 * `npm run bench -- gateway [--rounds 5] [--seconds 2] [--connections 64]`
 */
import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import { pino } from 'pino';
import type { LoadAnswer, LoadQuestion } from './gateway/load.ts';

/** From the build, and not the sources: what runs them as they are wraps every function that a request makes. */
const built = async <Module>(path: string): Promise<Module> =>
  (await import(new URL(`../dist/${path}.js`, import.meta.url).href)) as Module;

const { configSchema } = await built<typeof import('../src/config/schema.ts')>('config/schema');
const { loadContracts } = await built<typeof import('../src/contracts/load.ts')>('contracts/load');
const { startHealthServer } =
  await built<typeof import('../src/observability/health-server.ts')>('observability/health-server');
const { createMetrics } = await built<typeof import('../src/observability/metrics.ts')>('observability/metrics');
const { systemClock } = await built<typeof import('../src/ports/clock.ts')>('ports/clock');
const { jsonEncoder } = await built<typeof import('../src/ports/record-encoder.ts')>('ports/record-encoder');
const { createGatewayEdge } = await built<typeof import('../src/producers/gateway/edge.ts')>('producers/gateway/edge');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
  },
});

const URL_SIGNED = 'https://pay.example/webhooks/square/default';
const KEY = 'square-key';
const WARM_REQUESTS = 10_000;

const bodyOf = (event: number): string =>
  JSON.stringify({
    merchant_id: 'M1',
    type: 'refund.updated',
    event_id: `e-${event}`,
    created_at: '2026-09-01T12:00:03.1Z',
    data: {
      type: 'refund',
      id: `pay${event}_r1`,
      object: {
        refund: {
          id: `pay${event}_r1`,
          payment_id: `pay${event}`,
          order_id: 'o'.repeat(30),
          location_id: 'L1',
          amount_money: { amount: 1000, currency: 'USD' },
          status: 'COMPLETED',
          version: 10,
          reason: 'op-1',
          created_at: '2026-09-01T12:00:01.5Z',
          updated_at: '2026-09-01T12:00:03.0Z',
          note: 'n'.repeat(300),
        },
      },
    },
  });

const startBare = async (): Promise<{ readonly address: string; close(): Promise<void> }> => {
  const server = Fastify({ logger: false });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.post('/webhooks/:provider/:endpoint', async (_request, reply) =>
    reply.type('application/json').send('{"status":"accepted"}'),
  );
  return { address: await server.listen({ host: '127.0.0.1', port: 0 }), close: () => server.close() };
};

const startEdge = async () => {
  let kept = 0;
  const config = configSchema.parse({ gateway: { rate_per_second: 1_000_000, burst: 1_000_000 } });
  const metrics = createMetrics();
  const edge = createGatewayEdge({
    config,
    endpoints: [
      {
        provider: 'square',
        account: 'merchant-1',
        accountField: null,
        endpoint: 'default',
        signatureKeys: [{ value: KEY, fromMs: null, toMs: null }],
        notificationUrl: URL_SIGNED,
        merchantId: null,
      },
    ],
    contracts: loadContracts(),
    sink: {
      write: async (records) => {
        kept += records.length;
      },
      close: async () => undefined,
    },
    encoder: jsonEncoder,
    lookup: null,
    certificates: { pem: () => Promise.reject(new Error('no certificate is asked for')) },
    anonymous: () => null,
    answersReads: false,
    clock: systemClock,
    metrics,
    logger: pino({ level: 'silent' }),
    version: 'bench',
  });
  const readiness = () => ({ ready: true, reasons: [] });
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, metrics, readiness, routes: edge.routes });
  return { address: server.address, kept: () => kept, close: () => server.close() };
};

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

const [rounds, seconds, connections] = [values.rounds, values.seconds, values.connections].map(Number) as [
  number,
  number,
  number,
];
const deliveries = Array.from({ length: 2_000 }, (_, event) => {
  const body = bodyOf(event);
  return { body, signature: createHmac('sha256', KEY).update(`${URL_SIGNED}${body}`).digest('base64') };
});

// In a process of its own: the client's work must not stand in the server's way.
const load = fork(fileURLToPath(new URL('./gateway/load.ts', import.meta.url)));
load.once('exit', (code) => {
  process.stderr.write(`the load ended with ${code}\n`);
  process.exit(1);
});
const ask = (question: LoadQuestion): Promise<LoadAnswer> =>
  new Promise((resolve) => {
    load.once('message', (answer) => resolve(answer as LoadAnswer));
    load.send(question);
  });

const bare = await startBare();
const edge = await startEdge();
const measured: Record<'bare' | 'gateway', LoadAnswer[]> = { bare: [], gateway: [] };
/** of the server, a request: what a machine that others load as well cannot blur */
const cpu: Record<'bare' | 'gateway', number[]> = { bare: [], gateway: [] };
const targets = { bare: bare.address, gateway: edge.address } as const;
// Until both are compiled: the first thousands of requests measure the compiler.
for (const address of Object.values(targets)) {
  for (let warm = 0; warm < WARM_REQUESTS; )
    warm += (await ask({ address, connections, seconds: 1, deliveries })).answered;
}
let sent = 0;
for (let round = 0; round < rounds; round += 1) {
  for (const name of ['bare', 'gateway'] as const) {
    const before = process.cpuUsage();
    const answer = await ask({ address: targets[name], connections, seconds, deliveries });
    const { user, system } = process.cpuUsage(before);
    cpu[name].push((user + system) / answer.answered);
    measured[name].push(answer);
    if (answer.refused > 0) throw new Error(`${name} refused ${answer.refused} requests`);
    if (name === 'gateway') sent += answer.answered;
    process.stdout.write(
      `round ${round + 1} ${name.padEnd(8)} ${Math.round(answer.answered / answer.seconds)} requests/s, p99 ${answer.p99Ms.toFixed(1)} ms\n`,
    );
  }
}
if (edge.kept() < sent) throw new Error(`${sent} were answered 2xx, ${edge.kept()} were written`);
const rate = (name: 'bare' | 'gateway'): number => median(measured[name].map((one) => one.answered / one.seconds));
const p99 = (name: 'bare' | 'gateway'): number => median(measured[name].map((one) => one.p99Ms));
process.stdout.write(
  `${JSON.stringify({
    bare_per_second: Math.round(rate('bare')),
    gateway_per_second: Math.round(rate('gateway')),
    ratio: Number((rate('gateway') / rate('bare')).toFixed(3)),
    bare_cpu_us: Math.round(median(cpu.bare)),
    gateway_cpu_us: Math.round(median(cpu.gateway)),
    cpu_ratio: Number((median(cpu.bare) / median(cpu.gateway)).toFixed(3)),
    bare_p99_ms: Number(p99('bare').toFixed(2)),
    gateway_p99_ms: Number(p99('gateway').toFixed(2)),
    p99_ratio: Number((p99('gateway') / p99('bare')).toFixed(2)),
  })}\n`,
);
load.removeAllListeners();
load.kill();
await bare.close();
await edge.close();
