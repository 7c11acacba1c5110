import { describe, expect, test } from 'vitest';
import { accountOf } from '../../../src/config/accounts.ts';
import { describeConfig } from '../../../src/config/describe.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { secretsOf } from '../../../src/config/secrets.ts';

const load = (accounts: readonly object[], more: Record<string, string> = {}) =>
  loadConfig({ env: { COUNTERSIGN_ACCOUNTS: JSON.stringify(accounts), ...more } }).config;

const PAYPAL = { provider: 'paypal', account: 'm', client_id: 'the-id', client_secret: 'paypal-secret' };
const SQUARE = { provider: 'square', account: 'm', access_token: 'square-secret' };
const SHOPIFY = { provider: 'shopify', account: 'm', access_token: 'shopify-secret', shop_domain: 'x.myshopify.com' };
const STRIPE = { provider: 'stripe', account: 'm', secret_key: 'stripe-secret' };

test('what is left out is what the provider is known to bear', () => {
  const accounts = load([PAYPAL, SQUARE, SHOPIFY, STRIPE]).accounts.map(accountOf);
  expect(accounts.map(({ apiBase, ratePerSecond, burst }) => [apiBase, ratePerSecond, burst])).toEqual([
    ['https://api-m.paypal.com', 10, 10],
    ['https://connect.squareup.com', 10, 10],
    ['https://x.myshopify.com', 2, 2],
    ['https://api.stripe.com', 20, 20],
  ]);
});

test('credentials are never printed, and the log is told them', () => {
  const config = load([PAYPAL, SQUARE, SHOPIFY, STRIPE]);
  expect(describeConfig(config)['accounts']).toBe('4 (hidden)');
  expect(secretsOf(config)).toEqual(['paypal-secret', 'square-secret', 'shopify-secret', 'stripe-secret']);
});

describe('credentials go where they belong', () => {
  test.each([
    ['another host', { ...PAYPAL, api_base: 'https://api-m.paypal.com.evil.example' }, "the provider's own hosts"],
    ['a shop that is none', { ...SHOPIFY, shop_domain: 'shop.example' }, "the provider's own hosts"],
    ['no TLS', { ...SQUARE, api_base: 'http://connect.squareup.com' }, 'wants https'],
    [
      'credentials in the URL',
      { ...STRIPE, api_base: 'https://u:p@api.stripe.com' },
      'without query, fragment and credentials',
    ],
    ['another scheme', { ...STRIPE, api_base: 'file:///etc/passwd' }, 'an http(s) URL'],
  ])('%s is refused', (_name, account, wants) => {
    expect(() => load([account])).toThrow(wants);
  });

  test('a host that is listed is taken, and without TLS where private addresses are allowed', () => {
    const account = { ...PAYPAL, api_base: 'http://127.0.0.1:4010/' };
    const more = { COUNTERSIGN_READBACK_HOSTS: '127.0.0.1:4010', COUNTERSIGN_READBACK_ALLOW_PRIVATE: 'true' };
    expect(load([account], more).accounts.map(accountOf)).toMatchObject([{ apiBase: 'http://127.0.0.1:4010' }]);
  });
});

test.each([
  ['a credential that would split the header', { ...SQUARE, access_token: 'a\nb' }, 'accounts[0].access_token'],
  ['no credential', { provider: 'stripe', account: 'm' }, 'accounts[0].secret_key'],
  ['a rate of nothing', { ...SQUARE, rate_per_second: 0 }, 'calls a second'],
  ['a shop without a domain', { provider: 'shopify', account: 'm', access_token: 'x' }, 'accounts[0].shop_domain'],
  ['another provider', { provider: 'adyen', account: 'm' }, 'one of paypal, square, shopify, stripe'],
])('names the key of %s, and never the value', (_name, account, says) => {
  expect(() => load([account])).toThrow(says);
  expect(() => load([account])).not.toThrow(/a\\nb/);
});

test('each account of a provider stands once', () => {
  expect(() => load([PAYPAL, SQUARE, PAYPAL])).toThrow('accounts[2].account');
});

test.each([
  [{ COUNTERSIGN_READBACK_LEASE_MS: '31000' }, 'readback.lease_ms'],
  [{ COUNTERSIGN_READBACK_CALL_TIMEOUT_MS: '20001' }, 'readback.call_timeout_ms'],
  [{ COUNTERSIGN_READBACK_BREAKER_PAUSE_MS: '300001' }, 'readback.breaker_pause_ms'],
])('times that do not fit together are refused: %j', (env, key) => {
  expect(() => loadConfig({ env })).toThrow(key);
});
