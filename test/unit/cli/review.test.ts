import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readingsOf } from '../../../src/cli/roles/published-of.ts';
import { operationOfVerdict } from '../../../src/console/review-queue.ts';
import { acted, CAPTURE, started } from '../../support/paypal-log.ts';
import { runCli } from '../../support/run-cli.ts';
import { startServe } from '../../support/run-serve.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-review-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const data = (): string => join(folder, 'data');
const KEY = (operation: string): string => `paypal:merchant-1:${CAPTURE}/${operation}`;

const decide = (verdictId: string, ...more: string[]) =>
  runCli([
    ...['review', 'resolve', verdictId, '--data', data(), '--trust-gateway', '--decision', 'VERIFIED'],
    ...['--reviewer', 'maria', '--reason', 'the statement shows it', ...more],
  ]);

interface Told {
  readonly verdict: { readonly conditions: unknown };
  readonly present: { readonly conditions: unknown };
  readonly conditions: unknown;
}

interface Listed {
  readonly verdict: { readonly verdict_id: string };
  readonly present: { readonly conditions: unknown } | null;
  readonly missing: readonly { readonly name: string }[];
}

const list = async (): Promise<Listed[]> => {
  const { stdout } = await runCli(['review', 'list', '--data', data(), '--trust-gateway', '--json']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

/** Operations from long ago: their deadlines have passed, and each waits for a person. */
const serveOld = async () => {
  const serve = await startServe(['--data', data()]);
  for (const line of [started('op-1', 0), started('op-2', 60)]) {
    const { value } = JSON.parse(line) as { value: object };
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
    expect((await fetch(`${serve.address}/v1/records`, sent)).status).toBe(202);
  }
  return serve;
};

const verdictOf = async (address: string, operation: string): Promise<Record<string, unknown>> =>
  ((await (await fetch(`${address}/v1/operations/${operation}`)).json()) as { verdict: Record<string, unknown> })
    .verdict;

it('lists what waits and decides it on a running serve, and refuses a verdict that is no longer the latest', async () => {
  const serve = await serveOld();
  try {
    const questions = await list();
    expect(questions.map(({ verdict }) => verdict.verdict_id)).toEqual([`${KEY('op-1')}:1`, `${KEY('op-2')}:1`]);
    expect(questions[0]?.missing.map(({ name }) => name)).toContain('refund_present');
    expect((await decide(`${KEY('op-1')}:1`)).code).toBe(0);
    const verdict = await verdictOf(serve.address, 'op-1');
    expect(verdict).toMatchObject({ verdict: 'VERIFIED', basis: 'review', revision: 2 });
    expect((await list()).map(({ verdict: { verdict_id: id } }) => id)).toEqual([`${KEY('op-2')}:1`]);

    const late = await decide(`${KEY('op-1')}:1`);
    expect(late.code).toBe(2);
    expect(late.stderr).toContain(`${KEY('op-1')}:2 says VERIFIED`);
    expect((await decide(`${KEY('op-1')}:1`, '--force')).code).toBe(0);
    expect((await decide(`${KEY('nobody')}:1`)).stderr).toContain('no verdict is published');
  } finally {
    await serve.stop('SIGKILL');
  }
});

it.each(['running', 'not running'])(
  'tells a reviewer what is known now, beside what was published (%s)',
  async (how) => {
    const serve = await serveOld();
    try {
      const { value } = JSON.parse(acted('op-1', 2, { refund: 'R1' })) as { value: object };
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
      expect((await fetch(`${serve.address}/v1/records`, sent)).status).toBe(202);
      const told = (await (await fetch(`${serve.address}/v1/operations/op-1`)).json()) as Told;
      expect(told.verdict.conditions).not.toEqual(told.present.conditions);
      expect(told.present.conditions).toEqual(told.conditions);
      if (how === 'not running') await serve.stop('SIGTERM');
      const [question] = await list();
      expect(question?.verdict).toEqual(told.verdict);
      expect(question?.present?.conditions).toEqual(told.conditions);
      const text = (await runCli(['review', 'list', '--data', data()])).stdout;
      expect(text).toContain('Missing as of 20');
      expect(text).toContain('Refund: R1, 10.00 USD');
      expect(text).not.toContain('when it was published');
    } finally {
      await serve.stop('SIGKILL');
    }
  },
);

it('lists and decides from the journal while nobody serves it', async () => {
  await (await serveOld()).stop('SIGKILL');
  // As `serve` was told: without the option the journal would be judged without its webhooks.
  const text = (await runCli(['review', 'list', '--data', data()])).stdout;
  expect(text).toContain(`${KEY('op-1')}:1`);
  expect(text).toContain('Refund: none is known');
  expect((await decide(`${KEY('op-2')}:1`)).code).toBe(0);
  expect((await list()).map(({ verdict }) => verdict.verdict_id)).toEqual([`${KEY('op-1')}:1`]);
  const serve = await startServe(['--data', data()]);
  expect(await verdictOf(serve.address, 'op-2')).toMatchObject({ verdict: 'VERIFIED', basis: 'review' });
  await serve.stop('SIGKILL');
});

it('finds the operation that a verdict id is of, and every way to read its key', () => {
  expect(operationOfVerdict('shopify:shop:gid://shopify/Order/1/op:2')).toBe('shopify:shop:gid://shopify/Order/1/op');
  expect(operationOfVerdict('op-1')).toBeNull();
  expect(readingsOf('a:b:c/d/e')).toEqual([
    { paymentKey: 'a:b:c', operationId: 'd/e' },
    { paymentKey: 'a:b:c/d', operationId: 'e' },
  ]);
});
