import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { actOnVerdict, type Held, type Posting } from '../../examples/ledger/act-on-verdict.ts';
import { startReadbackRole } from '../../src/cli/roles/readback-role.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { type RefundingPayPal, startRefundingPayPal } from '../support/refunding-paypal.ts';
import { type Deployment, deploy, type PublishedRecord } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

const REFUNDS = 60;
const CAPTURE = '3C679366HH908993R';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Example {
  readonly child: ChildProcess;
  readonly lines: string[];
  kill(signal: NodeJS.Signals): Promise<void>;
}

const startExample = (path: string, env: Readonly<Record<string, string>>): Example => {
  const file = fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], { env: { ...process.env, ...env } });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  ending.push(() => kill('SIGKILL'));
  return { child, lines, kill };
};

const aLedgerFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
  ending.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'ledger.json');
};

const startLedger = (deployment: Deployment, file: string, group: string): Example =>
  startExample('ledger/main.ts', {
    BROKERS: process.env['COUNTERSIGN_BROKERS'] ?? '',
    TOPIC_PREFIX: deployment.prefix,
    GROUP: `${deployment.prefix}${group}`,
    LEDGER: file,
  });

interface Content {
  readonly operations: Record<string, Held>;
  readonly postings: readonly Posting[];
}

const contentOf = (file: string): Content => JSON.parse(readFileSync(file, 'utf8')) as Content;

/** Operation → what a ledger that got each revision once holds. */
const expected = (published: readonly PublishedRecord[]): Record<string, Held> => {
  const held: Record<string, Held> = {};
  for (const { verdict } of published) {
    const operation = `${verdict.payment_key}/${verdict.operation_id}`;
    const news = actOnVerdict(operation, held[operation] ?? null, verdict);
    if (news !== null) held[operation] = news.held;
  }
  return held;
};

const openOf = ({ postings }: Content): string[] => {
  const open = new Map<string, number>();
  for (const { kind, operation } of postings)
    open.set(operation, (open.get(operation) ?? 0) + (kind === 'post' ? 1 : -1));
  expect(Math.max(...open.values())).toBeLessThanOrEqual(1);
  return [...open].flatMap(([operation, count]) => (count === 1 ? [operation] : [])).sort();
};

test('a ledger that is killed, and then gets every verdict again, has each posting once and nothing that was never committed', async () => {
  const deployment = await deploy();
  ending.push(() => deployment.close());
  const file = aLedgerFile();
  const killed = startLedger(deployment, file, 'ledger');
  await deployment.produce(refundLog(7, REFUNDS, Date.now() - 7_200_000));
  deployment.start();
  await vi.waitFor(() => expect(killed.lines.join().split('"kind":"post"').length).toBeGreaterThan(3), {
    timeout: 60_000,
    interval: 50,
  });
  await killed.kill('SIGKILL');

  // A transaction that is taken back: read_committed never shows it.
  const producer = deployment.kafka.producer({ transactionalId: `${deployment.prefix}taken-back` });
  await producer.connect();
  ending.push(() => producer.disconnect());
  const [first] = await deployment.verdicts();
  if (first === undefined) throw new Error('nothing was published');
  const ghost = { ...first.verdict, operation_id: 'ghost', verdict: 'VERIFIED', money_moved: true };
  const transaction = await producer.transaction();
  await transaction.send({
    topic: deployment.topic('verdicts'),
    messages: [{ key: 'ghost', value: JSON.stringify(ghost) }],
  });
  await transaction.abort();

  // Another group: no offset was ever committed.
  const ledger = startLedger(deployment, file, 'ledger-again');
  await vi.waitFor(
    async () => {
      const published = await deployment.verdicts();
      expect(new Set(published.map(({ verdict }) => verdict.operation_id)).size).toBe(REFUNDS);
      expect(contentOf(file).operations).toEqual(expected(published));
    },
    { timeout: 90_000, interval: 500 },
  );
  const content = contentOf(file);
  const posted = Object.entries(content.operations).flatMap(([operation, held]) => (held.posted ? [operation] : []));
  expect(openOf(content)).toEqual(posted.sort());
  expect(posted.length).toBeGreaterThan(REFUNDS / 3);
  expect(JSON.stringify(content)).not.toContain('ghost');
  await ledger.kill('SIGTERM');
});

const startReadback = async (deployment: Deployment, paypal: RefundingPayPal): Promise<void> => {
  const account = { provider: 'paypal', account: 'merchant-1', client_id: 'id', client_secret: 'secret' };
  const { config } = loadConfig({
    env: {
      ...process.env,
      ...deployment.env,
      COUNTERSIGN_ACCOUNTS: JSON.stringify([{ ...account, api_base: paypal.address }]),
      COUNTERSIGN_READBACK_ALLOW_PRIVATE: 'true',
      COUNTERSIGN_READBACK_HOSTS: '127.0.0.1',
      COUNTERSIGN_READBACK_JITTER_MS: '0',
    },
  });
  const role = await startReadbackRole({
    config,
    contracts: loadContracts(),
    logger: pino({ level: 'silent' }),
    metrics: createMetrics(),
    onFatal: (error) => {
      throw error;
    },
  });
  ending.push(() => role.stop());
};

test('the payment service’s refund is read back, verified, closed by its advice, and posted once', async () => {
  const deployment = await deploy();
  ending.push(() => deployment.close());
  const paypal = await startRefundingPayPal();
  ending.push(() => paypal.close());
  const file = aLedgerFile();
  startLedger(deployment, file, 'ledger');
  const service = startExample('payment-service/main.ts', {
    BROKERS: process.env['COUNTERSIGN_BROKERS'] ?? '',
    TOPIC_PREFIX: deployment.prefix,
    GROUP: `${deployment.prefix}refunds`,
    PAYPAL_API_BASE: paypal.address,
  });
  deployment.start();
  await startReadback(deployment, paypal);
  paypal.play('lost');
  const refund = { id: 'r-1', account: 'merchant-1', captureId: CAPTURE, amount: '10.00', currency: 'USD' };
  service.child.stdin?.write(`${JSON.stringify(refund)}\n`);
  await vi.waitFor(() => expect(paypal.keys).toEqual(['r-1', 'r-1']), { timeout: 60_000, interval: 50 });
  const now = Date.now();
  const at = new Date(now).toISOString();
  const body = {
    id: 'WH-1',
    event_type: 'PAYMENT.CAPTURE.REFUNDED',
    create_time: at,
    resource: paypal.refunds.get('r-1'),
  };
  const delivery = { kind: 'webhook.received', provider: 'paypal', account: 'merchant-1', endpoint: 'default' };
  await deployment.produce([
    {
      topic: 'webhook-received',
      key: `paypal:merchant-1:${CAPTURE}`,
      value: JSON.stringify({ ...delivery, headers: {}, received_at: at, body: JSON.stringify(body) }),
      at: now,
    },
  ]);
  await vi.waitFor(() => expect(service.lines.join('\n')).toContain('"closed"'), { timeout: 90_000, interval: 200 });
  await vi.waitFor(() => expect(contentOf(file).postings.length).toBe(1), { timeout: 30_000, interval: 200 });
  expect(contentOf(file).postings[0]).toMatchObject({ kind: 'post', refund: 'RF1', amount: '10.00', currency: 'USD' });
  expect(paypal.refunds.size).toBe(1);
});
