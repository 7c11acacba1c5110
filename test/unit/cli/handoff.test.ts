import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HandoffDecided } from '../../../src/evaluator/index.ts';
import { authorityClaims, chargeReceipt, RISK, request, signersConfig, stripeEvent } from '../../support/handoff.ts';
import { runCli } from '../../support/run-cli.ts';
import { startServe } from '../../support/run-serve.ts';

let folder = '';
const path = (name: string): string => join(folder, name);

/** What a caller sends: the request without what only the edge says. */
const body = (over: object = {}, authority: object = {}): object => {
  const {
    kind: _k,
    requested_at: _r,
    provider: _p,
    account: _a,
    payment_id: _i,
    ...rest
  } = request(over, authority) as Record<string, unknown>;
  return rest;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-handoff-'));
  await writeFile(path('issuers.yaml'), JSON.stringify({ handoff: signersConfig() }));
  const lines = [chargeReceipt(), stripeEvent('re_0', 100_000)].map((record) => JSON.stringify(record));
  await writeFile(path('log.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(path('request.json'), JSON.stringify(body()));
  await writeFile(path('too-much.json'), JSON.stringify(body({ amount: '4500' })));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('countersign handoff plan', () => {
  const at = ['--config', 'issuers.yaml', '--at', '2026-09-01T12:00:00Z'];
  const plan = (...args: string[]) =>
    runCli(['handoff', 'plan', ...args.map((arg) => (/\.(yaml|jsonl?|jws)$/.test(arg) ? path(arg) : arg))]);

  it('plans on a log, and says how and what for', async () => {
    const { stdout, code } = await plan(...at, '--request', 'request.json', 'log.jsonl');
    expect(code).toBe(0);
    expect(stdout).toMatch(/PLANNED.* 2000\.00 AUD to cus_1/);
    expect(stdout).toContain('remaining 4000.00 before, 2000.00 after');
    expect(stdout).toContain('POST /v1/refunds');
    expect(stdout).toContain('No money moved');
  });

  it('refuses with every reason, and exits 4', async () => {
    const { stdout, code } = await plan(
      ...at,
      '--request',
      'too-much.json',
      '--counterparty',
      'cus_2',
      'log.jsonl',
      '--json',
    );
    expect(code).toBe(4);
    const { refusals } = JSON.parse(stdout) as HandoffDecided;
    expect(refusals.map((one) => one.code)).toEqual([
      'authority_payer_mismatch',
      'payer_mismatch',
      'amount_above_remaining',
    ]);
  });

  it('is told again by explain, which holds the operation to it', async () => {
    const { plan: planned, operation } = JSON.parse(
      (await plan(...at, '--request', 'request.json', 'log.jsonl', '--json')).stdout,
    ) as HandoffDecided;
    const started = {
      ...operation,
      created_at: '2026-09-01T12:00:10Z',
      input: { ...(operation?.['input'] as object), amount: 1 },
    };
    const lines = [chargeReceipt(), stripeEvent('re_0', 100_000), request(), started].map((one) => JSON.stringify(one));
    await writeFile(path('story.jsonl'), lines.join('\n'));
    const id = String(planned?.handoff_id);
    const { stdout } = await runCli([
      'explain',
      id,
      path('story.jsonl'),
      '--trust-gateway',
      '--config',
      path('issuers.yaml'),
    ]);
    expect(stdout).toContain('handoff_amount_drift');
    expect(stdout).toContain('The plan says an amount of 200000 AUD; the operation says 1 AUD.');
    expect(stdout).toContain('A plan to refund 2000 AUD of the charge rcpt-1 was asked for.');
  });

  it('says so where it is not told where to plan', async () => {
    const { stderr, code } = await plan('--request', 'request.json');
    expect(code).toBe(2);
    expect(stderr).toContain('say where');
  });
});

describe('POST /v1/handoffs of serve', () => {
  it('plans, gives the plan again after a restart, and takes no forged times', async () => {
    // The charge is of now: what serve takes, it judges by its own clock.
    const now = new Date();
    const later = new Date(now.getTime() + 3_600_000).toISOString();
    const data = path('data');
    const args = ['--data', data, '--config', path('issuers.yaml')];
    const first = await startServe(args);
    const post = (where: string, route: string, value: object) =>
      fetch(`${where}${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
    const receipt = chargeReceipt({ issued_at: now.toISOString() }, { received_at: now.toISOString() });
    expect((await post(first.address, '/v1/records', receipt)).status).toBe(202);
    const asked = body({}, { expires_at: later });
    const answer = await post(first.address, '/v1/handoffs', asked);
    expect(answer.status).toBe(201);
    const decided = (await answer.json()) as HandoffDecided;
    expect(decided.plan?.ceiling.remaining_after).toBe('3000.00');

    expect((await post(first.address, '/v1/handoffs', { ...asked, requested_at: '2026-09-01T12:00:00Z' })).status).toBe(
      400,
    );
    expect((await post(first.address, '/v1/records', request({}, { expires_at: later }))).status).toBe(400);
    const forged = {
      ...asked,
      verified: true,
      refunded_total: '0',
      original_receipt: {},
      nested: { idempotency_seed: 1 },
    };
    const refused = await post(first.address, '/v1/handoffs', forged);
    expect(refused.status).toBe(422);
    expect(((await refused.json()) as HandoffDecided).refusals.map(({ code }) => code)).toEqual([
      'caller_supplied_verified',
      'caller_supplied_total',
      'caller_supplied_receipt',
      'field_not_accepted',
      'caller_supplied_idempotency',
      'authority_used',
    ]);
    const unknown = await post(first.address, '/v1/handoffs', { ...asked, charge_ref: 'nowhere' });
    expect(unknown.status).toBe(422);
    expect(await unknown.json()).toMatchObject({ decision: 'refused', refusals: [{ code: 'charge_unknown' }] });

    const metrics = await (await fetch(`${first.address}/metrics`)).text();
    for (const outcome of ['planned', 'caller_supplied_total', 'authority_used'])
      expect(metrics).toContain(`countersign_handoffs_total{outcome="${outcome}"} 1`);

    await first.stop('SIGKILL');
    const second = await startServe(args);
    const again = await post(second.address, '/v1/handoffs', asked);
    expect(await again.json()).toEqual(decided);
    const shown = await fetch(`${second.address}/v1/handoffs/${decided.handoff_id}`);
    expect(await shown.json()).toEqual(decided);
    expect((await fetch(`${second.address}/v1/handoffs/ho_none`)).status).toBe(404);
    await second.stop('SIGTERM');
  });
});

it('reads an authority from a file of its own', async () => {
  await writeFile(path('authority.jws'), `${RISK.sign(authorityClaims())}\n`);
  const fields = ['--charge', 'rcpt-1', '--amount', '10', '--currency', 'aud', '--rail', 'stripe'];
  const { code } = await runCli([
    ...['handoff', 'plan', '--config', path('issuers.yaml'), '--at', '2026-09-01T12:00:00Z', ...fields],
    ...['--counterparty', 'cus_1', '--reason', 'x', '--authority', path('authority.jws'), path('log.jsonl')],
  ]);
  expect(code).toBe(0);
});
