import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/providers/adapter.ts';
import type { Endpoint, Secret } from '../../../src/providers/index.ts';
import { PROVIDERS } from '../../../src/providers/index.ts';
import {
  delivery,
  hmac,
  RECEIVED,
  secret,
  shopifyEndpoint,
  shopifyHeaders,
  squareEndpoint,
  squareHeaders,
  stripeEndpoint,
  stripeHeaders,
} from '../../support/deliveries.ts';

const BODY = '{"note":"größer"}';

const authenticate = (given: Delivery, endpoint: Endpoint): string => {
  const answer = PROVIDERS[endpoint.provider].authenticate(given, endpoint, false);
  return answer.outcome === 'authentic' ? 'authentic' : answer.code;
};

interface Signed {
  readonly endpoint: (keys: readonly Secret[]) => Endpoint;
  readonly headers: (body: string, key: string) => Record<string, string>;
  readonly header: string;
}

const CASES: readonly (Signed & { readonly name: string })[] = [
  { name: 'square', endpoint: squareEndpoint, headers: squareHeaders, header: 'X-Square-HmacSha256-Signature' },
  { name: 'shopify', endpoint: shopifyEndpoint, headers: shopifyHeaders, header: 'X-Shopify-Hmac-Sha256' },
  { name: 'stripe', endpoint: stripeEndpoint, headers: stripeHeaders, header: 'Stripe-Signature' },
];

describe.each(CASES)('a $name signature', ({ endpoint, headers, header }) => {
  it('is authentic over the very bytes, given as text or as bytes', () => {
    const signed = headers(BODY, 'k');
    expect(authenticate(delivery(BODY, signed), endpoint([secret('k')]))).toBe('authentic');
    expect(authenticate(delivery(Buffer.from(BODY), signed), endpoint([secret('k')]))).toBe('authentic');
  });

  it('is invalid over any other bytes', () => {
    expect(authenticate(delivery(`${BODY} `, headers(BODY, 'k')), endpoint([secret('k')]))).toBe('SIGNATURE_INVALID');
  });

  it('is invalid under another secret', () => {
    expect(authenticate(delivery(BODY, headers(BODY, 'k')), endpoint([secret('other')]))).toBe('SIGNATURE_INVALID');
  });

  it('may be made by any of several secrets', () => {
    const both = [secret('old'), secret('new')];
    expect(authenticate(delivery(BODY, headers(BODY, 'new')), endpoint(both))).toBe('authentic');
    expect(authenticate(delivery(BODY, headers(BODY, 'old')), endpoint(both))).toBe('authentic');
  });

  it('counts only by secrets in force at received_at', () => {
    const [ended, other] = [secret('k', undefined, '2026-09-01T12:00:04.350Z'), secret('other')];
    expect(authenticate(delivery(BODY, headers(BODY, 'k')), endpoint([ended, other]))).toBe('SIGNATURE_INVALID');
    const begun = secret('k', '2026-09-01T12:00:04.350Z', '2026-09-01T12:00:04.351Z');
    expect(authenticate(delivery(BODY, headers(BODY, 'k')), endpoint([begun]))).toBe('authentic');
  });

  it('cannot be checked when no secret is in force: that is not forged', () => {
    const later = secret('k', '2026-09-02T00:00:00Z');
    expect(authenticate(delivery(BODY, headers(BODY, 'k')), endpoint([later]))).toBe('SIGNATURE_UNVERIFIABLE');
  });

  it('cannot be checked when its header is missing or blank', () => {
    expect(authenticate(delivery(BODY, {}), endpoint([secret('k')]))).toBe('SIGNATURE_UNVERIFIABLE');
    expect(authenticate(delivery(BODY, { [header]: ' ' }), endpoint([secret('k')]))).toBe('SIGNATURE_UNVERIFIABLE');
  });

  it('is invalid when its header stands twice, differently', () => {
    const doubled = { ...headers(BODY, 'k'), [header.toUpperCase()]: 'x' };
    expect(authenticate(delivery(BODY, doubled), endpoint([secret('k')]))).toBe('SIGNATURE_INVALID');
  });

  it('is found whatever the case of the header name', () => {
    const [value = ''] = Object.entries(headers(BODY, 'k'))
      .filter(([key]) => key === header)
      .map(([, text]) => text);
    const shouted = { [header.toUpperCase()]: value };
    expect(authenticate(delivery(BODY, shouted), endpoint([secret('k')]))).toBe('authentic');
  });

  it('never tells the secret', () => {
    const answer = PROVIDERS[endpoint([]).provider].authenticate(
      delivery(BODY, headers(BODY, 'k')),
      endpoint([secret('s3cr3t-value')]),
      false,
    );
    expect(JSON.stringify(answer)).not.toContain('s3cr3t-value');
  });
});

describe('a square signature', () => {
  it('covers the notification URL byte for byte', () => {
    const other = { ...squareEndpoint([secret('k')]), notificationUrl: 'https://pay.example/webhooks/square/default/' };
    expect(authenticate(delivery(BODY, squareHeaders(BODY, 'k')), other)).toBe('SIGNATURE_INVALID');
  });

  it('is never the legacy SHA-1 one', () => {
    const legacy = { 'x-square-signature': hmac('k', BODY, 'base64') };
    expect(authenticate(delivery(BODY, legacy), squareEndpoint([secret('k')]))).toBe('SIGNATURE_UNVERIFIABLE');
  });
});

describe('a shopify signature', () => {
  it('is read from the newer header names too', () => {
    const headers = { 'shopify-hmac-sha256': hmac('k', BODY, 'base64') };
    expect(authenticate(delivery(BODY, headers), shopifyEndpoint([secret('k')]))).toBe('authentic');
  });
});

describe('a stripe signature', () => {
  const endpoint = stripeEndpoint([secret('k')]);
  const seconds = Math.floor(RECEIVED / 1000);

  it.each([
    [-300, 'authentic'],
    [300, 'authentic'],
    [-301, 'SIGNATURE_INVALID'],
    [301, 'SIGNATURE_INVALID'],
  ])('signed %i s from received_at is %s', (offset, expected) => {
    expect(authenticate(delivery(BODY, stripeHeaders(BODY, 'k', seconds + offset)), endpoint)).toBe(expected);
  });

  it('may be any of several v1', () => {
    const good = stripeHeaders(BODY, 'k')['Stripe-Signature'];
    const headers = { 'stripe-signature': good.replace(',v1=', ',v1=00,v0=11,v1=') };
    expect(authenticate(delivery(BODY, headers), endpoint)).toBe('authentic');
  });

  it.each(['v1=aa', 't=1', 't=1,v0=aa', 't=x,v1=aa', 't=1,t=2,v1=aa', ',,,=,'])('reading %s is invalid', (header) => {
    expect(authenticate(delivery(BODY, { 'stripe-signature': header }), endpoint)).toBe('SIGNATURE_INVALID');
  });
});

describe('an adapter', () => {
  it.each(['paypal', 'square', 'shopify', 'stripe'] as const)(
    'of %s refuses an endpoint of another provider',
    (name) => {
      const other = name === 'square' ? stripeEndpoint() : squareEndpoint();
      expect(() => PROVIDERS[name].authenticate(delivery(BODY, {}), other, false)).toThrow(TypeError);
    },
  );
});
