import { expect, it } from 'vitest';
import { eventOf, type RunningSandbox, startSandbox } from '../../support/sandbox.ts';

const PAYMENT = 'KkAkhdMsgzn59SM8A89WgKwekxLZY';
const SCENARIO = { payments: [{ provider: 'square', id: PAYMENT, amount: '100.00' }] };

const tokenOf = ({ accounts }: RunningSandbox): string => {
  const account = accounts.find(({ provider }) => provider === 'square');
  return account?.provider === 'square' ? account.accessToken : '';
};

interface Answered {
  readonly status: number;
  readonly refund: Record<string, unknown> & { readonly id: string };
  readonly code: string | undefined;
}

const refund = async (running: RunningSandbox, fields: object): Promise<Answered> => {
  const body = { payment_id: PAYMENT, amount_money: { amount: 1000, currency: 'USD' }, ...fields };
  const headers = { authorization: `Bearer ${tokenOf(running)}`, 'content-type': 'application/json' };
  const answer = await running.call('POST', '/v2/refunds', headers, JSON.stringify(body));
  const said = (await answer.json()) as { refund: Answered['refund']; errors?: { code: string }[] };
  return { status: answer.status, refund: said.refund, code: said.errors?.[0]?.code };
};

it('answers the same key with the same refund, and refuses it with another body', async () => {
  const running = await startSandbox(SCENARIO);
  const first = await refund(running, { idempotency_key: 'k1' });
  expect(first).toMatchObject({ status: 200, refund: { payment_id: PAYMENT, status: 'COMPLETED' } });
  expect(first.refund.id).toMatch(`${PAYMENT}_`);
  expect((await refund(running, { idempotency_key: 'k1' })).refund.id).toBe(first.refund.id);
  const other = await refund(running, { idempotency_key: 'k1', reason: 'another' });
  expect([other.status, other.code]).toEqual([400, 'IDEMPOTENCY_KEY_REUSED']);
});

it.each([
  ['a payment that is not there', { idempotency_key: 'k', payment_id: 'nothing' }, 404, 'NOT_FOUND'],
  ['no key', {}, 400, 'MISSING_REQUIRED_PARAMETER'],
  ['a key of 46 characters', { idempotency_key: 'k'.repeat(46) }, 400, 'VALUE_TOO_LONG'],
  [
    'more than is left',
    { idempotency_key: 'k', amount_money: { amount: 10_001, currency: 'USD' } },
    400,
    'REFUND_AMOUNT_INVALID',
  ],
  [
    'another currency',
    { idempotency_key: 'k', amount_money: { amount: 1, currency: 'EUR' } },
    400,
    'CURRENCY_MISMATCH',
  ],
])('refuses %s as Square words it', async (_what, fields, status, code) => {
  const running = await startSandbox(SCENARIO);
  const answered = await refund(running, fields);
  expect([answered.status, answered.code]).toEqual([status, code]);
});

it('is read by the real adapter, alone and by its payment', async () => {
  const running = await startSandbox({
    ...SCENARIO,
    refunds: [{ visible_after: '5s', settle_after: '1d', ends: 'failed' }],
  });
  const { refund: made } = await refund(running, { idempotency_key: 'k1' });
  const read = () => running.read('square', { resourceId: made.id });
  const list = () => running.read('square', { reads: 'payment', paymentId: PAYMENT });
  expect(await read()).toMatchObject({ outcome: 'absent' });
  expect(await list()).toMatchObject({ outcome: 'ok', body: expect.not.stringContaining(made.id) });
  await running.sandbox.advance(5_000);
  expect(await read()).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"status":"PENDING"') });
  expect(await list()).toMatchObject({ outcome: 'ok', body: expect.stringContaining(made.id) });
  await running.sandbox.advance(86_400_000);
  expect(await read()).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"status":"FAILED"') });
});

it('sends events that the real adapter takes, each of an event id of its own and a higher version', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ settle_after: '10s' }] });
  const { refund: made } = await refund(running, { idempotency_key: 'k1', reason: 'op-1' });
  await running.sandbox.advance(20_000);
  await running.control('reverse', { provider: 'square', payment: PAYMENT });
  await running.sandbox.advance(20_000);
  expect(running.posted.map(running.authenticate)).toEqual(Array(3).fill('authentic'));
  const events = running.posted.map(eventOf);
  expect(events).toMatchObject([
    {
      type: 'refund.created',
      paymentId: PAYMENT,
      facts: [{ refundId: made.id, state: 'pending', version: 1, echoes: ['op-1'] }],
    },
    { type: 'refund.updated', paymentId: PAYMENT, facts: [{ refundId: made.id, state: 'complete', version: 2 }] },
    { type: 'dispute.created', paymentId: PAYMENT, role: 'dispute' },
  ]);
  expect(new Set(events.map((event) => (event.outcome === 'event' ? event.eventId : ''))).size).toBe(3);
});

it('lists refunds page by page, newest first', async () => {
  const running = await startSandbox(SCENARIO);
  const ids: string[] = [];
  for (const key of ['a', 'b', 'c']) {
    ids.unshift((await refund(running, { idempotency_key: key })).refund.id);
    await running.sandbox.advance(1_000);
  }
  const headers = { authorization: `Bearer ${tokenOf(running)}` };
  const page = async (query: string) =>
    (await (await running.call('GET', `/v2/refunds?${query}`, headers)).json()) as {
      refunds: { id: string }[];
      cursor?: string;
    };
  const first = await page('limit=2');
  const second = await page(`limit=2&cursor=${first.cursor}`);
  expect([...first.refunds, ...second.refunds].map(({ id }) => id)).toEqual(ids);
  expect(second.cursor).toBeUndefined();
});

it('prints int64 amounts that a double cannot hold', async () => {
  const running = await startSandbox({ payments: [{ provider: 'square', id: PAYMENT, amount: '90071992547409.93' }] });
  await running.control('refunds', { provider: 'square', payment: PAYMENT });
  const read = await running.read('square', { reads: 'payment', paymentId: PAYMENT });
  expect(read).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"amount":9007199254740993') });
});
