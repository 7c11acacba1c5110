import { expect, it } from 'vitest';
import { eventOf, type RunningSandbox, startSandbox } from '../../support/sandbox.ts';

const ORDER = 'gid://shopify/Order/9007199254740997001';
const SCENARIO = { payments: [{ provider: 'shopify', id: ORDER, amount: '100.00' }] };

const CREATE = `mutation($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) {
    userErrors { field message }
    refund { id note totalRefundedSet { shopMoney { amount currencyCode } } transactions(first: 5) { nodes { kind status amountSet { shopMoney { amount } } } } }
  }
}`;

interface Answered {
  readonly status: number;
  readonly data?: {
    readonly refundCreate: {
      readonly refund: { readonly id: string } | null;
      readonly userErrors: { message: string }[];
    };
  };
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code: string } }[];
  readonly extensions?: { readonly cost: Record<string, unknown> };
}

const query = async (
  running: RunningSandbox,
  text: string,
  variables: object = {},
  version = '2026-04',
): Promise<Answered> => {
  const account = running.accounts.find(({ provider }) => provider === 'shopify');
  const token = account?.provider === 'shopify' ? account.accessToken : '';
  const headers = { 'x-shopify-access-token': token, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: text, variables });
  const answer = await running.call('POST', `/admin/api/${version}/graphql.json`, headers, body);
  return { status: answer.status, ...((await answer.json()) as object) };
};

const refund = (running: RunningSandbox, key: string, amount = '10.00', note = 'op-1'): Promise<Answered> => {
  const transactions = [{ orderId: ORDER, gateway: 'shopify_payments', kind: 'REFUND', amount }];
  return query(running, CREATE, { key, input: { orderId: ORDER, note, transactions } });
};

it('creates a refund once a key, and says in userErrors why it does not', async () => {
  const running = await startSandbox(SCENARIO);
  const first = await refund(running, 'k1');
  expect(first.data?.refundCreate).toMatchObject({
    userErrors: [],
    refund: { note: 'op-1', totalRefundedSet: { shopMoney: { amount: '10.0', currencyCode: 'USD' } } },
  });
  expect((await refund(running, 'k1')).data?.refundCreate.refund?.id).toBe(first.data?.refundCreate.refund?.id);
  const other = await refund(running, 'k1', '11.00');
  expect([other.data?.refundCreate.refund, other.data?.refundCreate.userErrors.length]).toEqual([null, 1]);
  const tooMuch = await refund(running, 'k2', '90.01');
  expect([tooMuch.status, tooMuch.data?.refundCreate.refund]).toEqual([200, null]);
});

it('asks for an idempotency key from 2026-04 on', async () => {
  const running = await startSandbox(SCENARIO);
  const without = `mutation { refundCreate(input: { orderId: "${ORDER}", transactions: [{ orderId: "${ORDER}", gateway: "x", kind: REFUND, amount: "1.00" }] }) { refund { id } userErrors { message } } }`;
  expect((await query(running, without)).errors?.[0]?.message).toContain('@idempotent');
  expect((await query(running, without, {}, '2026-01')).data?.refundCreate.refund).not.toBeNull();
});

it('refuses a query that its schema does not have, as GraphQL does: HTTP 200 with errors', async () => {
  const running = await startSandbox(SCENARIO);
  const answered = await query(running, '{ refund(id: "gid://shopify/Refund/1") { nothing } }');
  expect([answered.status, answered.errors?.[0]?.message]).toEqual([
    200,
    'Cannot query field "nothing" on type "Refund".',
  ]);
  expect((await query(running, '{ refund(id: "x") { id } }', {}, 'v9')).status).toBe(404);
});

it('is read by the real adapter: a null node, then its transaction pending, then succeeded; and by its order', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ visible_after: '5s', settle_after: '1h' }] });
  const made = await refund(running, 'k1');
  const id = made.data?.refundCreate.refund?.id ?? '';
  const read = () => running.read('shopify', { resourceId: id });
  expect(await read()).toMatchObject({ outcome: 'absent' });
  await running.sandbox.advance(5_000);
  expect(await read()).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"status":"PENDING"') });
  await running.sandbox.advance(3_600_000);
  expect(await read()).toMatchObject({ outcome: 'ok', body: expect.stringContaining('"status":"SUCCESS"') });
  expect(await running.read('shopify', { reads: 'payment', paymentId: ORDER })).toMatchObject({
    outcome: 'ok',
    body: expect.stringContaining(id),
  });
});

it('reads an order with more refunds than one page whole', async () => {
  const running = await startSandbox(SCENARIO);
  for (let index = 0; index < 25; index += 1) {
    await running.control('refunds', { provider: 'shopify', payment: ORDER, amount: '1.00' });
  }
  const list = await running.read('shopify', { reads: 'payment', paymentId: ORDER });
  if (list.outcome !== 'ok') throw new Error(JSON.stringify(list));
  const { data } = JSON.parse(list.body) as { data: { order: { refunds: unknown[] } } };
  expect(data.order.refunds).toHaveLength(25);
});

it('throttles by calculated cost: HTTP 200 with THROTTLED, restored as time goes on', async () => {
  const running = await startSandbox(SCENARIO);
  let answered = await refund(running, 'k1', '1.00');
  for (let index = 0; answered.errors === undefined && index < 200; index += 1)
    answered = await refund(running, 'k1', '1.00');
  expect([answered.status, answered.errors?.[0]?.extensions?.code]).toEqual([200, 'THROTTLED']);
  expect(answered.extensions?.cost).toMatchObject({ throttleStatus: { maximumAvailable: 2000, restoreRate: 100 } });
  await running.control('calls', { answer: 'rate_limited', when: { nth: 1 } });
  expect(await running.read('shopify', { resourceId: 'gid://shopify/Refund/1' })).toMatchObject({
    kind: 'rate_limited',
  });
  await running.sandbox.advance(20_000);
  expect((await refund(running, 'k1', '1.00')).errors).toBeUndefined();
});

it('sends events that the real adapter takes, its ids whole though no double holds them', async () => {
  const running = await startSandbox({ ...SCENARIO, refunds: [{ settle_after: '1h' }] });
  const made = await refund(running, 'k1');
  await running.sandbox.advance(3_700_000);
  expect(running.posted.map(running.authenticate)).toEqual(['authentic', 'authentic']);
  expect(running.posted[0]?.body).toContain('"order_id":9007199254740997001');
  expect(running.posted.map(eventOf)).toMatchObject([
    {
      type: 'REFUNDS_CREATE',
      paymentId: ORDER,
      facts: [{ refundId: made.data?.refundCreate.refund?.id, state: 'pending', amount: '10.00', echoes: ['op-1'] }],
    },
    { type: 'ORDER_TRANSACTIONS_CREATE', paymentId: ORDER, role: 'other' },
  ]);
});
