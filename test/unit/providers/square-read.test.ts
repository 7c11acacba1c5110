import { expect, test } from 'vitest';
import type { SquareAccount } from '../../../src/providers/account.ts';
import { CALLS, json, PlayedProvider, readerOf } from '../../support/provider-answers.ts';

const ACCOUNT: SquareAccount = { ...CALLS, provider: 'square', accessToken: 'square-token', apiVersion: '2026-08-19' };
const REFUND = {
  id: 'refund-1',
  payment_id: 'payment-1',
  status: 'COMPLETED',
  amount_money: { amount: 100, currency: 'USD' },
};

test('reads a refund in the pinned version', async () => {
  const http = new PlayedProvider(() => json({ refund: REFUND }));
  expect(await readerOf(ACCOUNT, http)({})).toMatchObject({ outcome: 'ok', body: JSON.stringify({ refund: REFUND }) });
  expect(http.calls).toEqual([
    {
      method: 'GET',
      path: '/v2/refunds/refund-1',
      headers: { accept: 'application/json', authorization: 'Bearer square-token', 'square-version': '2026-08-19' },
    },
  ]);
});

test('keeps every digit of an int64 amount', async () => {
  const text = '{"refund":{"id":"refund-1","amount_money":{"amount":9223372036854775807,"currency":"USD"}}}';
  expect(await readerOf(ACCOUNT, new PlayedProvider(() => json(text)))({})).toMatchObject({ body: text });
});

test('reads the payment for the list of its refunds', async () => {
  const http = new PlayedProvider(() => json({ payment: { id: 'payment-1', refund_ids: ['refund-1'] } }));
  expect(await readerOf(ACCOUNT, http)({ reads: 'payment', resourceId: null })).toMatchObject({ outcome: 'ok' });
  expect(http.paths).toEqual(['GET /v2/payments/payment-1']);
});

test.each([
  ['404', json({ errors: [{ category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND' }] }, 404), { outcome: 'absent' }],
  ['401', json({ errors: [{ code: 'UNAUTHORIZED' }] }, 401), { kind: 'auth', message: 'HTTP 401 UNAUTHORIZED' }],
  ['403', json({ errors: [{ code: 'INSUFFICIENT_SCOPES' }] }, 403), { kind: 'auth' }],
  ['429', json({ errors: [{ code: 'RATE_LIMITED' }] }, 429), { kind: 'rate_limited' }],
  ['an error inside 200', json({ errors: [{ code: 'RATE_LIMITED' }] }), { kind: 'rate_limited' }],
  ['another refund', json({ refund: { ...REFUND, id: 'refund-2' } }), { kind: 'malformed' }],
  ['a payment where a refund was asked for', json({ payment: { id: 'payment-1' } }), { kind: 'malformed' }],
  ['nothing known', json({}), { kind: 'malformed' }],
])('%s', async (_name, answer, expected) => {
  expect(await readerOf(ACCOUNT, new PlayedProvider(() => answer))({})).toMatchObject(expected);
});
