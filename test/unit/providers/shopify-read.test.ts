import { expect, test } from 'vitest';
import type { HttpCall } from '../../../src/ports/provider-http.ts';
import type { ShopifyAccount } from '../../../src/providers/account.ts';
import { CALLS, json, PlayedProvider, raw, readerOf } from '../../support/provider-answers.ts';

const ACCOUNT: ShopifyAccount = { ...CALLS, provider: 'shopify', accessToken: 'shpat_1', apiVersion: '2026-01' };
const ORDER = 'gid://shopify/Order/1';
const gid = (n: number): string => `gid://shopify/Refund/${n}`;
const transaction = (n: number) => ({ id: `gid://shopify/OrderTransaction/${n}`, kind: 'REFUND', status: 'SUCCESS' });
const page = (ns: readonly number[], endCursor: string | null) => ({
  nodes: ns.map(transaction),
  pageInfo: { hasNextPage: endCursor !== null, endCursor },
});
const refund = (n: number, transactions = page([n], null)) => ({ id: gid(n), order: { id: ORDER }, transactions });

const said = (call: HttpCall): { query: string; variables: Record<string, unknown> } => JSON.parse(call.body ?? '');
const one = { resourceId: gid(1) };
const listed = { reads: 'payment', resourceId: null, paymentId: ORDER } as const;

test('reads a refund by GraphQL in the pinned version', async () => {
  const body = { data: { refund: refund(1) }, extensions: { cost: { requestedQueryCost: 20 } } };
  const http = new PlayedProvider(() => json(body));
  expect(await readerOf(ACCOUNT, http)(one)).toEqual({ outcome: 'ok', httpStatus: 200, body: JSON.stringify(body) });
  expect(http.paths).toEqual(['POST /admin/api/2026-01/graphql.json']);
  expect(http.calls[0]?.headers['x-shopify-access-token']).toBe('shpat_1');
  expect(said(http.calls[0] as HttpCall).variables).toEqual({ id: gid(1) });
});

test('joins every page of the transactions', async () => {
  const http = new PlayedProvider((call, count) => {
    if (count === 1) return json({ data: { refund: refund(1, page([1], 'c1')) } });
    expect(said(call).variables).toEqual({ id: gid(1), after: `c${count - 1}` });
    return json({ data: { refund: { id: gid(1), transactions: page([count], count === 2 ? 'c2' : null) } } });
  });
  const answer = await readerOf(ACCOUNT, http)(one);
  expect(answer.outcome === 'ok' && JSON.parse(answer.body).data.refund.transactions).toEqual({
    nodes: [transaction(1), transaction(2), transaction(3)],
    pageInfo: { hasNextPage: false },
  });
});

test('lists an order’s refunds, those behind the first ten by their ids', async () => {
  const all = Array.from({ length: 23 }, (_, index) => index + 1);
  const http = new PlayedProvider((call) => {
    const { query, variables } = said(call);
    if (query.includes('nodes(ids')) {
      const ids = variables['ids'] as string[];
      return json({ data: { nodes: ids.map((id) => refund(Number(id.split('/').at(-1)))) } });
    }
    const isIds = query.includes('first:250');
    const refunds = isIds ? all.map((n) => ({ id: gid(n) })) : all.slice(0, 10).map((n) => refund(n));
    return json({ data: { order: { id: ORDER, refunds } } });
  });
  const answer = await readerOf(ACCOUNT, http)(listed);
  const refunds = answer.outcome === 'ok' ? JSON.parse(answer.body).data.order.refunds : [];
  expect(refunds.map(({ id }: { id: string }) => id)).toEqual(all.map(gid));
  expect(http.calls).toHaveLength(4);
});

test('says that a list may go on where Shopify lists no more', async () => {
  const http = new PlayedProvider((call) => {
    const { query, variables } = said(call);
    if (query.includes('nodes(ids')) {
      return json({
        data: { nodes: (variables['ids'] as string[]).map((id) => ({ id, transactions: page([], null) })) },
      });
    }
    const count = query.includes('first:250') ? 250 : 10;
    return json({ data: { order: { id: ORDER, refunds: Array.from({ length: count }, (_, n) => refund(n)) } } });
  });
  const answer = await readerOf(ACCOUNT, http)(listed);
  const { refunds } = answer.outcome === 'ok' ? JSON.parse(answer.body).data.order : { refunds: null };
  expect(refunds.nodes).toHaveLength(250);
  expect(refunds.pageInfo).toEqual({ hasNextPage: true });
});

const throttled = (cost: object) =>
  json({ errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }], extensions: { cost } });

test.each([
  ['a null refund', json({ data: { refund: null } }), { outcome: 'absent' }],
  [
    'THROTTLED with its cost',
    throttled({
      requestedQueryCost: 202,
      throttleStatus: { maximumAvailable: 1000, currentlyAvailable: 118, restoreRate: 50 },
    }),
    { kind: 'rate_limited', retryAfterMs: 1680, httpStatus: 200 },
  ],
  ['THROTTLED without a cost', throttled({}), { kind: 'rate_limited', retryAfterMs: 1000 }],
  [
    'ACCESS_DENIED',
    json({ data: { refund: null }, errors: [{ extensions: { code: 'ACCESS_DENIED' } }] }),
    { kind: 'auth' },
  ],
  ['an error beside a null refund', json({ data: { refund: null }, errors: [{ message: 'x' }] }), { kind: 'server' }],
  ['errors as a text', json({ errors: '[API] Invalid API key' }), { kind: 'server' }],
  ['401', json({ errors: 'Invalid API key' }, 401), { kind: 'auth' }],
  ['404: no such shop or version', json({ errors: 'Not Found' }, 404), { kind: 'server' }],
  ['no data', json({}), { kind: 'malformed' }],
  ['no refund member', json({ data: {} }), { kind: 'malformed' }],
  ['another refund', json({ data: { refund: refund(2) } }), { kind: 'malformed' }],
  ['a login page', raw('<html>', 'text/html'), { kind: 'malformed' }],
])('%s', async (_name, answer, expected) => {
  expect(await readerOf(ACCOUNT, new PlayedProvider(() => answer))(one)).toMatchObject(expected);
});
