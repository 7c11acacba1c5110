import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import { shopify } from '../../../src/providers/shopify/index.ts';
import { parseJsonText } from '../../../src/records/json-text.ts';
import { shopifyEndpoint } from '../../support/deliveries.ts';

const HEADERS = {
  'X-Shopify-Topic': 'refunds/create',
  'X-Shopify-Event-Id': 'event-1',
  'X-Shopify-Webhook-Id': 'delivery-1',
  'X-Shopify-Triggered-At': '2026-09-01T12:00:03Z',
};

const ORDER = 'gid://shopify/Order/820982911946154508';
const REFUND = 'gid://shopify/Refund/890088186047892319';

const transaction = (given: Record<string, unknown> = {}) => ({
  kind: 'refund',
  status: 'success',
  amount: '41.94',
  currency: 'USD',
  ...given,
});

const body = (transactions: unknown, given = ''): string =>
  `{"id":890088186047892319,"order_id":820982911946154508,"created_at":"2026-09-01T08:00:01-04:00","note":"op-1",
  "admin_graphql_api_id":"${REFUND}"${given},"transactions":${JSON.stringify(transactions)}}`;

const event = (text: string, headers: Record<string, string> = HEADERS) =>
  shopify.event(parseJsonText(text) as JsonObject, headers);

describe('a Shopify event', () => {
  it('keeps every digit of its ids, and is REFUNDS_CREATE', () => {
    expect(event(body([transaction()]))).toEqual({
      outcome: 'event',
      eventId: 'event-1',
      type: 'REFUNDS_CREATE',
      role: 'refund',
      paymentId: ORDER,
      occurredAt: '2026-09-01T08:00:01-04:00',
      facts: [
        {
          refundId: REFUND,
          paymentId: ORDER,
          amount: '41.94',
          currency: 'USD',
          status: 'SUCCESS',
          state: 'complete',
          createdAt: '2026-09-01T08:00:01-04:00',
          updatedAt: '2026-09-01T08:00:01-04:00',
          version: null,
          echoes: ['op-1'],
        },
      ],
    });
  });

  it('is as new as its signed body says, whatever an unsigned header has', () => {
    const replayed = { ...HEADERS, 'X-Shopify-Triggered-At': '2027-01-01T00:00:00Z' };
    expect(event(body([transaction()], ',"processed_at":"2026-09-01T08:00:02-04:00"'), replayed)).toMatchObject({
      occurredAt: '2026-09-01T08:00:02-04:00',
      facts: [{ updatedAt: '2026-09-01T08:00:02-04:00' }],
    });
    expect(event(body([transaction()]), replayed)).toMatchObject({
      facts: [{ updatedAt: '2026-09-01T08:00:01-04:00' }],
    });
  });

  it("leaves open what a sum in the buyer's currency is in the shop's", () => {
    const sets = ',"total_duties_set":{"shop_money":{"amount":"0.0","currency_code":"USD"}}';
    expect(event(body([transaction({ currency: 'EUR' })], sets))).toMatchObject({
      facts: [{ amount: '41.94', currency: 'EUR', otherMoney: null }],
    });
    expect(event(body([transaction()], sets))).not.toHaveProperty('facts.0.otherMoney');
  });

  it('without a global id makes one of the number', () => {
    const text = body([transaction()]).replace(`"admin_graphql_api_id":"${REFUND}",`, '');
    expect(event(text)).toMatchObject({ facts: [{ refundId: REFUND }] });
  });

  it('whose number has lost digits names nothing', () => {
    const rounded = { id: 890088186047892400, order_id: 820982911946154500, transactions: [] };
    expect(shopify.event(rounded, HEADERS)).toMatchObject({ outcome: 'refused', code: 'EVENT_MALFORMED' });
  });

  it('takes the newer header names, and the Webhook-Id where there is no Event-Id', () => {
    const headers = { 'shopify-topic': 'REFUNDS_CREATE', 'shopify-webhook-id': 'delivery-1', 'shopify-event-id': ' ' };
    expect(event(body([]), headers)).toMatchObject({ type: 'REFUNDS_CREATE', eventId: 'delivery-1' });
    expect(event(body([]), { 'shopify-topic': 'refunds/create' })).toMatchObject({ eventId: '' });
  });

  it.each([
    ['any pending', [transaction(), transaction({ status: 'pending' })], 'pending', 'PENDING', '83.88'],
    [
      'any success',
      [transaction({ status: 'failure' }), transaction({ amount: '10.0' })],
      'complete',
      'SUCCESS',
      '10.0',
    ],
    [
      'only failures',
      [transaction({ status: 'failure' }), transaction({ status: 'error' })],
      'dead',
      'FAILURE',
      '83.88',
    ],
    ['no refund transaction', [transaction({ kind: 'void' })], 'no_money', null, null],
    ['none at all', [], 'no_money', null, null],
    ['a new word', [transaction({ status: 'odd' })], 'unknown', 'ODD', '41.94'],
    ['two currencies', [transaction(), transaction({ currency: 'EUR' })], 'complete', 'SUCCESS', null],
    ['an amount that is none', [transaction({ amount: null })], 'complete', 'SUCCESS', null],
    ['a bare number', [transaction({ amount: 89.99 })], 'complete', 'SUCCESS', '89.99'],
  ])('with %s', (_name, transactions, state, status, amount) => {
    expect(event(body(transactions))).toMatchObject({ facts: [{ state, status, amount }] });
  });

  it('sums exactly', () => {
    const ten = Array.from({ length: 10 }, () => transaction({ amount: '0.1' }));
    expect(event(body(ten))).toMatchObject({ facts: [{ amount: '1.0' }] });
  });

  it('without a currency takes the shop’s from its money sets, XXX being none', () => {
    const sets =
      ',"total_duties_set":{"shop_money":{"amount":"0.0","currency_code":"XXX"}},"refund_line_items":[{"subtotal_set":{"shop_money":{"amount":"1.0","currency_code":"CAD"}}}]';
    expect(event(body([transaction({ currency: null })], sets))).toMatchObject({ facts: [{ currency: 'CAD' }] });
    expect(event(body([transaction({ currency: null })]))).toMatchObject({ facts: [{ currency: null }] });
  });

  it('of a dispute, or of a transaction, is about the order and no refund', () => {
    const seen = (topic: string) => event(body([], ',"kind":"refund"'), { 'x-shopify-topic': topic });
    expect(seen('disputes/create')).toMatchObject({ role: 'dispute', paymentId: ORDER, facts: [] });
    expect(seen('order_transactions/create')).toMatchObject({ role: 'other', paymentId: ORDER, facts: [] });
    expect(seen('orders/updated').outcome).toBe('ignored');
  });

  it('without a topic or a refund id is malformed', () => {
    expect(event(body([]), {})).toMatchObject({ code: 'EVENT_MALFORMED' });
    expect(event('{"order_id":1}')).toMatchObject({ code: 'EVENT_MALFORMED' });
  });

  it('of another shop is of another tenant', () => {
    const endpoint = { ...shopifyEndpoint(), shopDomain: 'example.myshopify.com' };
    const from = (shop: string) => shopify.tenantMismatch({}, { 'X-Shopify-Shop-Domain': shop }, endpoint);
    expect(from('Example.myshopify.com')).toBeNull();
    expect(from('other.myshopify.com')).toContain('other.myshopify.com');
    expect(shopify.tenantMismatch({}, {}, endpoint)).toContain('missing');
  });
});

const money = (amount: string, currencyCode = 'USD') => ({
  shopMoney: { amount, currencyCode },
  presentmentMoney: { amount, currencyCode },
});

const graphql = (given: Record<string, unknown> = {}): JsonObject =>
  ({
    id: REFUND,
    createdAt: '2026-09-01T12:00:01Z',
    updatedAt: '2026-09-01T12:00:02Z',
    note: 'op-1',
    order: { id: ORDER },
    totalRefundedSet: money('41.94'),
    transactions: { nodes: [{ kind: 'REFUND', status: 'SUCCESS', amountSet: money('41.94') }] },
    ...given,
  }) as JsonObject;

describe('a Shopify answer', () => {
  it('has its connections as lists, whichever way they were asked for', () => {
    const node = { kind: 'refund', status: 'success', amountSet: money('41.94') };
    for (const transactions of [{ nodes: [node] }, { edges: [{ node }] }, [node]]) {
      const answer = shopify.answer({ data: { refund: graphql({ transactions }) } }, 'refund');
      expect(answer).toMatchObject({
        outcome: 'refund',
        body: { data: { refund: { transactions: [{ kind: 'REFUND', status: 'SUCCESS' }] } } },
        facts: { refundId: REFUND, paymentId: ORDER, amount: '41.94', state: 'complete' },
      });
    }
  });

  it('gets its data wrapper where it has none', () => {
    expect(shopify.answer({ refund: graphql() }, 'refund')).toMatchObject({
      body: { data: { refund: { id: REFUND } } },
    });
  });

  it('with a pending transaction beside a total of 0 has the transaction’s amount', () => {
    const transactions = { nodes: [{ kind: 'REFUND', status: 'PENDING', amountSet: money('41.94') }] };
    const answer = shopify.answer(
      { data: { refund: graphql({ transactions, totalRefundedSet: money('0.0') }) } },
      'refund',
    );
    expect(answer).toMatchObject({ facts: { state: 'pending', amount: '41.94' } });
  });

  it('that does not show all its transactions leaves open what they come to', () => {
    const transactions = { nodes: [{ kind: 'REFUND', status: 'SUCCESS' }], pageInfo: { hasNextPage: true } };
    expect(shopify.answer({ data: { refund: graphql({ transactions }) } }, 'refund')).toMatchObject({
      facts: { state: 'unknown' },
    });
    expect(shopify.answer({ data: { refund: graphql({ transactions: undefined }) } }, 'refund')).toMatchObject({
      facts: { state: 'unknown', amount: '41.94' },
    });
  });

  it('has a gap in its transactions where pages lie before or behind the one shown', () => {
    const seen = { kind: 'REFUND', status: 'SUCCESS' };
    const shown = (pageInfo: Record<string, boolean>) => {
      const transactions = { nodes: [seen], pageInfo };
      const answer = shopify.answer({ data: { refund: graphql({ transactions }) } }, 'refund');
      return answer.outcome === 'refund' ? answer.body : answer;
    };
    const having = (transactions: unknown) => ({ data: { refund: { transactions } } });
    expect(shown({ hasNextPage: false, hasPreviousPage: false })).toMatchObject(having([seen]));
    expect(shown({ hasNextPage: true })).toMatchObject(having([seen, null]));
    expect(shown({ hasPreviousPage: true })).toMatchObject(having([null, seen]));
  });

  it("states the buyer's money beside the shop's where it is another", () => {
    const amountSet = {
      shopMoney: { amount: '11.0', currencyCode: 'USD' },
      presentmentMoney: { amount: '10.0', currencyCode: 'EUR' },
    };
    const transactions = [{ kind: 'REFUND', status: 'SUCCESS', amountSet }];
    expect(shopify.answer({ data: { refund: graphql({ transactions }) } }, 'refund')).toMatchObject({
      facts: { amount: '11.0', currency: 'USD', otherMoney: { amount: '10.0', currency: 'EUR' } },
    });
    expect(shopify.answer({ data: { refund: graphql() } }, 'refund')).not.toHaveProperty('facts.otherMoney');
  });

  it('of an order lists its refunds; a page with more behind it proves no absence', () => {
    const order = (refunds: unknown) =>
      shopify.answer({ data: { order: { id: ORDER, refunds } } } as JsonObject, 'payment');
    expect(order([graphql({ order: undefined })])).toMatchObject({
      outcome: 'list',
      isPartial: false,
      facts: [{ refundId: REFUND, paymentId: ORDER }],
    });
    expect(order({ nodes: [graphql()], pageInfo: { hasNextPage: true } })).toMatchObject({ isPartial: true });
    const cut = { nodes: [{ kind: 'REFUND', status: 'SUCCESS' }], pageInfo: { hasNextPage: true } };
    expect(order([graphql(), graphql({ transactions: cut })])).toMatchObject({
      facts: [{ state: 'complete' }, { state: 'unknown' }],
    });
  });

  it('from REST is in GraphQL’s shape and words', () => {
    const rest = parseJsonText(body([transaction({ gateway: 'bogus' })])) as JsonObject;
    expect(shopify.answer({ refund: rest }, 'refund')).toMatchObject({
      body: {
        data: {
          refund: {
            id: REFUND,
            order: { id: ORDER },
            totalRefundedSet: { shopMoney: { amount: '41.94', currencyCode: 'USD' } },
            transactions: [{ kind: 'REFUND', status: 'SUCCESS', amountSet: { shopMoney: { amount: '41.94' } } }],
          },
        },
      },
      facts: { amount: '41.94', state: 'complete' },
    });
    expect(shopify.answer({ refunds: [rest, 7] }, 'payment')).toMatchObject({
      outcome: 'list',
      facts: [{ refundId: REFUND, paymentId: ORDER }],
    });
  });

  it('with a null node is an absence, with errors an error', () => {
    expect(shopify.answer({ data: { refund: null } }, 'refund')).toEqual({ outcome: 'absent' });
    expect(shopify.answer({ data: { order: null } }, 'payment')).toEqual({ outcome: 'absent' });
    const throttled = { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] };
    expect(shopify.answer(throttled, 'refund')).toEqual({ outcome: 'error', kind: 'rate_limited' });
    expect(shopify.answer({ ...throttled, data: { refund: null } }, 'refund')).toEqual({
      outcome: 'error',
      kind: 'rate_limited',
    });
    expect(shopify.answer({ errors: [{ message: 'x' }] }, 'refund')).toEqual({ outcome: 'error', kind: 'server' });
  });

  it('that holds neither is malformed', () => {
    for (const answer of [{}, { data: {} }, { data: { refund: {} } }, { data: { order: {} } }]) {
      expect(shopify.answer(answer, 'refund')).toMatchObject({ code: 'READBACK_MALFORMED' });
    }
  });
});

describe('a Shopify action', () => {
  it('is read with or without its data wrapper, which is taken off', () => {
    const result = { refundCreate: { userErrors: [], refund: { id: REFUND } } };
    expect(shopify.action({ data: result })).toMatchObject({ outcome: 'result', result, facts: { refundId: REFUND } });
    expect(shopify.action(result)).toMatchObject({ outcome: 'result', result });
  });

  it('with user errors and no refund was declined', () => {
    const userErrors = [{ field: null, message: 'Refund amount exceeds' }];
    const declined = { outcome: 'error', kind: 'declined', code: 'Refund amount exceeds' };
    expect(shopify.action({ data: { refundCreate: { refund: null, userErrors } } })).toEqual(declined);
    expect(shopify.errorCode({ data: { refundCreate: { userErrors: [{ code: 'INVALID' }] } } })).toBe('INVALID');
  });

  it('with an error of the whole query leaves open what it did', () => {
    const errors = [{ message: 'Internal error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }];
    expect(shopify.action({ errors })).toEqual({ outcome: 'error', kind: 'unknown', code: 'INTERNAL_SERVER_ERROR' });
  });
});
