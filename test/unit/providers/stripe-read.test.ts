import { expect, test } from 'vitest';
import type { StripeAccount } from '../../../src/providers/account.ts';
import { CALLS, json, PlayedProvider, readerOf } from '../../support/provider-answers.ts';

const ACCOUNT: StripeAccount = {
  ...CALLS,
  provider: 'stripe',
  secretKey: 'sk_test_1',
  apiVersion: '2025-04-30.basil',
  connectedAccount: 'acct_1',
};
const refund = (id: string) => ({
  id,
  object: 'refund',
  charge: 'ch_1',
  amount: 100,
  currency: 'usd',
  status: 'succeeded',
});
const list = (ids: readonly string[], hasMore: boolean) =>
  json({ object: 'list', url: '/v1/refunds', has_more: hasMore, data: ids.map(refund) });

test('reads a refund in the pinned version, for the connected account', async () => {
  const http = new PlayedProvider(() => json(refund('refund-1')));
  expect(await readerOf(ACCOUNT, http)({})).toMatchObject({ outcome: 'ok', body: JSON.stringify(refund('refund-1')) });
  expect(http.paths).toEqual(['GET /v1/refunds/refund-1']);
  expect(http.calls[0]?.headers).toEqual({
    accept: 'application/json',
    authorization: 'Bearer sk_test_1',
    'stripe-version': '2025-04-30.basil',
    'stripe-account': 'acct_1',
  });
});

test('joins the pages of a list into one', async () => {
  const pages = [list(['re_1', 're_2'], true), list(['re_3'], false)];
  const http = new PlayedProvider((_call, count) => pages[count - 1] ?? json({}, 500));
  const answer = await readerOf(ACCOUNT, http)({ reads: 'payment', resourceId: null, paymentId: 'ch_1' });
  expect(http.paths).toEqual([
    'GET /v1/refunds?charge=ch_1&limit=100',
    'GET /v1/refunds?charge=ch_1&limit=100&starting_after=re_2',
  ]);
  expect(answer.outcome === 'ok' && JSON.parse(answer.body)).toMatchObject({
    object: 'list',
    has_more: false,
    data: [{ id: 're_1' }, { id: 're_2' }, { id: 're_3' }],
  });
});

test('says that a list goes on where it is not read to its end', async () => {
  const http = new PlayedProvider((_call, count) => list([`re_${count}`], true));
  const answer = await readerOf(ACCOUNT, http)({ reads: 'payment', resourceId: null, paymentId: 'ch_1' });
  expect(http.calls).toHaveLength(5);
  expect(answer.outcome === 'ok' && JSON.parse(answer.body)).toMatchObject({ has_more: true });
});

test('a page that fails makes the whole list an error', async () => {
  const http = new PlayedProvider((_call, count) => (count === 1 ? list(['re_1'], true) : json({}, 500)));
  expect(await readerOf(ACCOUNT, http)({ reads: 'payment', resourceId: null })).toMatchObject({ kind: 'server' });
});

test.each([
  ['404', json({ error: { type: 'invalid_request_error', code: 'resource_missing' } }, 404), { outcome: 'absent' }],
  ['401', json({ error: { type: 'invalid_request_error' } }, 401), { kind: 'auth' }],
  ['429', json({ error: { code: 'rate_limit' } }, 429), { kind: 'rate_limited', message: 'HTTP 429 rate_limit' }],
  ['another refund', json(refund('refund-2')), { kind: 'malformed' }],
  ['a charge', json({ id: 'refund-1', object: 'charge' }), { kind: 'malformed' }],
])('%s', async (_name, answer, expected) => {
  expect(await readerOf(ACCOUNT, new PlayedProvider(() => answer))({})).toMatchObject(expected);
});
