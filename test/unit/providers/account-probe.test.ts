import { expect, test } from 'vitest';
import type { HttpAnswer } from '../../../src/ports/provider-http.ts';
import type { Account } from '../../../src/providers/account.ts';
import { probeAccount } from '../../../src/providers/account-probe.ts';
import { CALLS, json, NOW, PlayedProvider, raw } from '../../support/provider-answers.ts';

const paypal: Account = { ...CALLS, provider: 'paypal', clientId: 'client', clientSecret: 'secret' };
const square: Account = { ...CALLS, provider: 'square', accessToken: 'square-token', apiVersion: '2026-08-19' };
const stripe: Account = {
  ...CALLS,
  provider: 'stripe',
  secretKey: 'sk_1',
  apiVersion: '2025-04-30.basil',
  connectedAccount: 'acct_1',
};
const shopify: Account = {
  ...CALLS,
  apiBase: 'https://example.myshopify.com',
  provider: 'shopify',
  accessToken: 'shop-token',
  apiVersion: '2026-01',
};

const probe = async (account: Account, answer: HttpAnswer) => {
  const provider = new PlayedProvider(() => answer);
  const found = await probeAccount(account, { send: (call) => provider.send(call), now: () => NOW });
  return { found, provider };
};

const shop = (scopes: readonly string[], domain = 'example.myshopify.com') =>
  json({
    data: {
      shop: { myshopifyDomain: domain },
      currentAppInstallation: { accessScopes: scopes.map((handle) => ({ handle })) },
    },
  });

test('each provider is asked one cheap question with the account’s own credentials', async () => {
  const asked = [
    await probe(paypal, json({ access_token: 'token', expires_in: 300 })),
    await probe(square, json({})),
    await probe(stripe, json({ object: 'list', data: [] })),
    await probe(shopify, shop(['read_orders', 'read_all_orders'])),
  ];
  expect(asked.map(({ found }) => found)).toEqual(asked.map(() => ({ outcome: 'accepted', remarks: [] })));
  expect(asked.map(({ provider }) => provider.paths)).toEqual([
    ['POST /v1/oauth2/token'],
    ['GET /v2/refunds?limit=1'],
    ['GET /v1/refunds?limit=1'],
    ['POST /admin/api/2026-01/graphql.json'],
  ]);
  const [, ofSquare, ofStripe, ofShopify] = asked.map(({ provider }) => provider.calls[0]?.headers);
  expect(ofSquare).toMatchObject({ authorization: 'Bearer square-token', 'square-version': '2026-08-19' });
  expect(ofStripe).toMatchObject({ authorization: 'Bearer sk_1', 'stripe-account': 'acct_1' });
  expect(ofShopify).toMatchObject({ 'x-shopify-access-token': 'shop-token' });
});

test.each([
  ['paypal', paypal],
  ['square', square],
  ['stripe', stripe],
  ['shopify', shopify],
] as const)('%s’s no, silence and nonsense are told apart', async (_name, account) => {
  expect((await probe(account, json({}, 401))).found).toMatchObject({ outcome: 'error', kind: 'auth' });
  expect((await probe(account, json({}, 503))).found).toMatchObject({ outcome: 'error', kind: 'server' });
  expect((await probe(account, raw('<html>', 'text/html'))).found).toMatchObject({ kind: 'malformed' });
  const failed = { outcome: 'failed', kind: 'network', message: 'the connection failed (ECONNREFUSED)' } as const;
  expect((await probe(account, failed)).found).toMatchObject({ kind: 'network' });
});

test('an address that has no such API is not taken for one', async () => {
  for (const account of [paypal, square, stripe, shopify])
    expect((await probe(account, json({}, 404))).found).toMatchObject({ outcome: 'error' });
});

test('a Shopify token without read_orders is refused, and what it cannot see is told', async () => {
  expect((await probe(shopify, shop(['read_products']))).found).toMatchObject({ outcome: 'error', kind: 'auth' });
  expect((await probe(shopify, shop(['read_orders']))).found).toMatchObject({
    outcome: 'accepted',
    remarks: [expect.stringContaining('read_all_orders')],
  });
  expect((await probe(shopify, shop(['read_orders', 'read_all_orders'], 'other.myshopify.com'))).found).toMatchObject({
    remarks: ['the shop at example.myshopify.com calls itself other.myshopify.com'],
  });
});
