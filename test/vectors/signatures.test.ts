import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/evaluator/index.ts';
import { PROVIDERS } from '../../src/providers/index.ts';
import { authenticatePayPal } from '../../src/providers/paypal/authenticate.ts';
import { authenticateShopify } from '../../src/providers/shopify/authenticate.ts';
import { authenticateSquare } from '../../src/providers/square/authenticate.ts';
import { authenticateStripe } from '../../src/providers/stripe/authenticate.ts';
import { parseJsonText } from '../../src/records/json-text.ts';
import { delivery, secret, shopifyEndpoint, squareEndpoint, stripeEndpoint } from '../support/deliveries.ts';
import { paypalEndpoint } from '../support/paypal-deliveries.ts';

/*
 * Signatures and payloads that the providers and their libraries have published, read from the folder that
 * COUNTERSIGN_VECTORS names. They are other people's data and are not part of this repository.
 */

const folder = process.env['COUNTERSIGN_VECTORS'];
const bytes = (name: string): Buffer => readFileSync(join(folder ?? '', name));
const text = (name: string): string => bytes(name).toString('utf8');
const read = <T>(name: string): T => JSON.parse(text(name)) as T;

describe.skipIf(folder === undefined)('PayPal’s simulator', () => {
  const pem = () => text('paypal/cert_CERT-360caa42-fca2a594-1a5f47cb.pem');
  const ca = () => text('paypal/cert_java_sdk_DigiCertSHA2ExtendedValidationServerCA.pem');
  const NAMES = ['payment_capture_refunded_v2', 'payment_capture_reversed_v2', 'payment_capture_completed_v2'];
  const RECEIVED = '2024-08-02T19:36:00Z';

  const verdict = (name: string, receivedAt: string, given: object = {}, testMode = true): string => {
    const { headers } = read<{ headers: Record<string, string> }>(`paypal/simulator_${name}.json`);
    const raw = bytes(`paypal/simulator_${name}.body.raw.json`);
    const answer = authenticatePayPal(
      { raw, headers, receivedAt: Date.parse(receivedAt), certificates: [pem()] },
      paypalEndpoint({ webhookId: 'WEBHOOK_ID', ca: [ca()], ...given }),
      testMode,
    );
    return answer.outcome === 'authentic' ? 'authentic' : answer.code;
  };

  it.each(NAMES)('signed %s, by a certificate that chains to DigiCert', (name) => {
    expect(verdict(name, RECEIVED)).toBe('authentic');
    expect(verdict(name, RECEIVED, { ca: [], certificates: [pem()] })).toBe('authentic');
  });

  it.each(NAMES)('is not believed for %s outside test mode', (name) => {
    expect(verdict(name, RECEIVED, {}, false)).toBe('SIMULATOR_EVENT');
    expect(verdict(name, RECEIVED, { webhookId: '8PT597110X687430LKGECATA' }, false)).toBe('SIMULATOR_EVENT');
  });

  it('is not believed after its certificate ended', () => {
    expect(verdict('payment_capture_refunded_v2', '2025-03-08T00:00:00Z')).toBe('SIGNATURE_INVALID');
  });

  it('without the intermediate authority cannot be checked', () => {
    expect(verdict('payment_capture_refunded_v2', RECEIVED, { ca: [] })).toBe('SIGNATURE_UNVERIFIABLE');
  });

  it('says what its events are about', () => {
    const event = (name: string) =>
      PROVIDERS.paypal.event(read<JsonObject>(`paypal/simulator_${name}.body.raw.json`), {});
    expect(event('payment_capture_refunded_v2')).toMatchObject({
      role: 'refund',
      paymentId: '0JF852973C016714D',
      facts: [{ refundId: '1Y107995YT783435V', amount: '0.99', currency: 'USD', state: 'complete' }],
    });
    expect(event('payment_capture_reversed_v2')).toMatchObject({ role: 'reversal', paymentId: '4L335234718889942' });
    expect(event('payment_capture_completed_v2').outcome).toBe('ignored');
  });
});

describe.skipIf(folder === undefined)('PayPal’s Java SDK vector', () => {
  const verdict = (webhookId: string, raw = bytes('paypal/java_sdk_vector.body.raw.json')): string => {
    const { headers } = read<{ headers: Record<string, string> }>('paypal/java_sdk_vector.json');
    const url = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1';
    const answer = authenticatePayPal(
      {
        raw,
        headers: { ...headers, 'PAYPAL-CERT-URL': url },
        receivedAt: Date.parse('2017-03-30T20:05:00Z'),
        certificates: [text('paypal/cert_java_sdk_testClientCert.pem')],
      },
      paypalEndpoint({ webhookId, ca: [text('paypal/cert_java_sdk_DigiCertSHA2ExtendedValidationServerCA.pem')] }),
      false,
    );
    return answer.outcome === 'authentic' ? 'authentic' : answer.code;
  };

  it('is authentic, and not for another webhook or body', () => {
    expect(verdict('96605875FF6516633')).toBe('authentic');
    expect(verdict('NotToBeFound')).toBe('SIGNATURE_INVALID');
    expect(verdict('96605875FF6516633', Buffer.from('{ something invalid }'))).toBe('SIGNATURE_INVALID');
  });
});

describe.skipIf(folder === undefined)('Square', () => {
  interface Vector {
    readonly name: string;
    readonly request_body: string;
    readonly signature_header: string;
    readonly signature_key: string;
    readonly notification_url: string;
    readonly expected_valid: boolean;
  }

  it('signed its vectors', () => {
    const { vectors } = read<{ vectors: readonly Vector[] }>('square/signature_vectors.json');
    expect(vectors.length).toBeGreaterThan(3);
    for (const vector of vectors) {
      const answer = authenticateSquare(
        delivery(vector.request_body, { 'x-square-hmacsha256-signature': vector.signature_header }),
        { ...squareEndpoint([secret(vector.signature_key)]), notificationUrl: vector.notification_url },
      );
      expect({ name: vector.name, valid: answer.outcome === 'authentic' }).toEqual({
        name: vector.name,
        valid: vector.expected_valid,
      });
    }
  });

  it('gives created and updated one event id: their types tell them apart', () => {
    const event = (type: string) => PROVIDERS.square.event(read<JsonObject>(`square/webhook_${type}.example.json`), {});
    const id = 'KkAkhdMsgzn59SM8A89WgKwekxLZY_ptNBVqHYxt5gAdfcobBe4u1AZsXhoz06KTtuq9Ls24P';
    const paymentId = 'KkAkhdMsgzn59SM8A89WgKwekxLZY';
    expect(event('refund.created')).toMatchObject({
      paymentId,
      facts: [{ refundId: id, state: 'pending', version: 7 }],
    });
    expect(event('refund.updated')).toMatchObject({
      paymentId,
      facts: [{ refundId: id, state: 'complete', version: 10 }],
    });
  });

  it('answers reads and actions with a refund', () => {
    const answer = PROVIDERS.square.answer(read<JsonObject>('square/GetPaymentRefundResponse.example.json'), 'refund');
    expect(answer).toMatchObject({ outcome: 'refund', facts: { amount: '555', state: 'complete' } });
    const list = PROVIDERS.square.answer(read<JsonObject>('square/ListPaymentRefundsResponse.example.json'), 'payment');
    expect(list).toMatchObject({ outcome: 'list', isPartial: true });
    const action = PROVIDERS.square.action(read<JsonObject>('square/RefundPaymentResponse.example.json'));
    expect(action).toMatchObject({ outcome: 'result', facts: { amount: '1000', state: 'pending' } });
  });
});

describe.skipIf(folder === undefined)('Shopify', () => {
  it('signed its vectors', () => {
    const { vectors } = read<{
      vectors: readonly {
        name: string;
        raw_body: string;
        secret: string;
        hmac_header: string;
        expected_valid: boolean;
      }[];
    }>('shopify/hmac_vectors.json');
    for (const vector of vectors) {
      const answer = authenticateShopify(
        delivery(vector.raw_body, { 'X-Shopify-Hmac-Sha256': vector.hmac_header }),
        shopifyEndpoint([secret(vector.secret)]),
      );
      expect({ name: vector.name, valid: answer.outcome === 'authentic' }).toEqual({
        name: vector.name,
        valid: vector.expected_valid,
      });
    }
  });

  it('prints payloads whose transactions add up', () => {
    const { response } = parseJsonText(text('shopify/gadget_metadata_2025-10_refunds_create.json')) as {
      response: JsonObject;
    };
    expect(PROVIDERS.shopify.event(response, { 'X-Shopify-Topic': 'refunds/create' })).toMatchObject({
      type: 'REFUNDS_CREATE',
      facts: [
        { refundId: 'gid://shopify/Refund/890088186047892319', amount: '85.00', currency: 'USD', state: 'complete' },
      ],
    });
  });

  it.each([1, 2, 3])('answers REST reads (%i), read in GraphQL’s shape', (number) => {
    const answer = PROVIDERS.shopify.answer(
      parseJsonText(text(`shopify/rest_2026-07_refund_response_${number}.json`)) as JsonObject,
      'payment',
    );
    expect(['refund', 'list']).toContain(answer.outcome);
  });
});

describe.skipIf(folder === undefined)('Stripe', () => {
  interface Vector {
    readonly name: string;
    readonly payload: string;
    readonly header: string;
    readonly secret: string;
    readonly received_at_s: number;
    readonly tolerance_s: number;
    readonly expected_valid: boolean;
  }

  it('signed its vectors; a time ahead of ours is held to the tolerance too', () => {
    const { vectors } = read<{ vectors: readonly Vector[] }>('stripe/signature_vectors_derived.json');
    for (const vector of vectors) {
      const answer = authenticateStripe(
        delivery(vector.payload, { 'Stripe-Signature': vector.header }, vector.received_at_s * 1000),
        { ...stripeEndpoint([secret(vector.secret)]), toleranceSeconds: vector.tolerance_s },
      );
      const isAhead = vector.name.includes('one-sided');
      expect({ name: vector.name, valid: answer.outcome === 'authentic' }).toEqual({
        name: vector.name,
        valid: vector.expected_valid && !isAhead,
      });
    }
  });

  it('prints refunds', () => {
    const answer = PROVIDERS.stripe.answer(read<JsonObject>('stripe/fixture_refund.json'), 'refund');
    expect(answer).toMatchObject({
      outcome: 'refund',
      facts: { amount: '100', currency: 'usd', state: 'complete', paymentId: 'ch_1PgafuB7WZ01zgkWXYmPNZs8' },
    });
  });
});
