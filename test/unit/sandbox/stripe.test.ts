import { expect, it } from 'vitest';
import { eventOf, type RunningSandbox, startSandbox } from '../../support/sandbox.ts';

const CHARGE = 'ch_3MmlLrLkdIwHu7ix0snN0B15';
const SCENARIO = { payments: [{ provider: 'stripe', id: CHARGE, amount: '100.00' }] };

const keyOf = ({ accounts }: RunningSandbox): string => {
  const account = accounts.find(({ provider }) => provider === 'stripe');
  return account?.provider === 'stripe' ? account.secretKey : '';
};

interface Answered {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly body: Record<string, unknown> & { readonly id: string; readonly error?: Record<string, string> };
}

const refund = async (running: RunningSandbox, form: Record<string, string>, key?: string): Promise<Answered> => {
  const headers = {
    authorization: `Bearer ${keyOf(running)}`,
    'content-type': 'application/x-www-form-urlencoded',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const answer = await running.call(
    'POST',
    '/v1/refunds',
    headers,
    String(new URLSearchParams({ charge: CHARGE, ...form })),
  );
  const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
  return { status: answer.status, isReplayed, body: (await answer.json()) as Answered['body'] };
};

it('takes a form, and prints what it was told in metadata', async () => {
  const running = await startSandbox(SCENARIO);
  const { status, body } = await refund(running, {
    amount: '1000',
    'metadata[operation_id]': 'op-1',
    reason: 'duplicate',
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'refund', amount: 1000, charge: CHARGE, currency: 'usd', status: 'succeeded' });
  expect(body).toMatchObject({ metadata: { operation_id: 'op-1' }, reason: 'duplicate' });
});

it('replays the answer of a key word for word, for a day, and refuses it with other parameters', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ settle_after: '10s' }] });
  const first = await refund(running, { amount: '1000' }, 'k1');
  await running.sandbox.advance(60_000);
  const again = await refund(running, { amount: '1000' }, 'k1');
  expect([again.isReplayed, again.body]).toEqual([true, first.body]);
  expect((await refund(running, { amount: '999' }, 'k1')).body.error).toMatchObject({ type: 'idempotency_error' });
  await running.sandbox.advance(86_400_000);
  expect((await refund(running, { amount: '1000' }, 'k1')).body.id).not.toBe(first.body.id);
});

it.each([
  ['a charge that is not there', { charge: 'ch_nothing' }, 404, { code: 'resource_missing', param: 'charge' }],
  ['an amount that is none', { amount: '10.00' }, 400, { code: 'parameter_invalid_integer' }],
  ['more than is left', { amount: '10001' }, 400, { param: 'amount' }],
  ['a reason of its own', { reason: 'because' }, 400, { param: 'reason' }],
])('refuses %s as Stripe words it', async (_what, form, status, error) => {
  const answered = await refund(await startSandbox(SCENARIO), form);
  expect(answered.status).toBe(status);
  expect(answered.body.error).toMatchObject({ type: 'invalid_request_error', ...error });
});

it('is read by the real adapter, alone and page by page', async () => {
  const running = await startSandbox(SCENARIO);
  const ids: string[] = [];
  for (let index = 0; index < 103; index += 1) ids.push((await refund(running, { amount: '1' })).body.id);
  expect(await running.read('stripe', { resourceId: ids[0] ?? '' })).toMatchObject({ outcome: 'ok' });
  const list = await running.read('stripe', { reads: 'payment', paymentId: CHARGE });
  if (list.outcome !== 'ok') throw new Error(JSON.stringify(list));
  const { data, has_more } = JSON.parse(list.body) as { data: { id: string }[]; has_more: boolean };
  expect([data.map(({ id }) => id), has_more]).toEqual([[...ids].reverse(), false]);
  expect(await running.read('stripe', { resourceId: 're_nothing' })).toMatchObject({ outcome: 'absent' });
});

it('sends events that the real adapter takes, a failure after success among them', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ later: [{ after: '1h', state: 'failed' }] }] });
  const { body } = await refund(running, { amount: '1000' }, 'k1');
  await running.sandbox.advance(3_700_000);
  expect(new Set(running.posted.map(running.authenticate))).toEqual(new Set(['authentic']));
  const events = running.posted.map(eventOf);
  const told = events.map((event) =>
    event.outcome === 'event' ? `${event.type} ${event.facts[0]?.state}` : event.outcome,
  );
  expect(told.sort()).toEqual([
    'charge.refund.updated dead',
    'charge.refunded undefined',
    'refund.created complete',
    'refund.failed dead',
  ]);
  expect(JSON.parse(running.posted[0]?.body ?? '')).toMatchObject({ request: { idempotency_key: 'k1' } });
  expect(await running.read('stripe', { resourceId: body.id })).toMatchObject({
    body: expect.stringContaining('"failed"'),
  });
});
