import { describe, expect, it } from 'vitest';
import { authenticatePayPal } from '../../../src/providers/paypal/authenticate.ts';
import { isCertificateUrl } from '../../../src/providers/paypal/index.ts';
import { identity } from '../../support/certificate-der.ts';
import type { Signing } from '../../support/paypal-deliveries.ts';
import { paypalBody, paypalDelivery, paypalEndpoint, SIGNER } from '../../support/paypal-deliveries.ts';

const root = identity({ name: 'Root', isAuthority: true });
const middle = identity({ name: 'Middle', issuer: root, isAuthority: true, to: '2026-10-01T00:00:00Z' });
const signer = identity({ name: SIGNER, issuer: middle });
const stranger = identity({ name: SIGNER });

const BODY = paypalBody();

const verdict = (
  signing: Signing,
  endpoint: Parameters<typeof paypalEndpoint>[0],
  body = BODY,
  testMode = false,
): string => {
  const answer = authenticatePayPal(
    { ...paypalDelivery(BODY, signing), raw: body },
    paypalEndpoint(endpoint),
    testMode,
  );
  return answer.outcome === 'authentic' ? 'authentic' : answer.code;
};

describe('a PayPal signature', () => {
  it('is authentic by a certificate of the record that chains to the configured authority', () => {
    const certificates = [`${signer.pem}\n${middle.pem}`];
    expect(verdict({ by: signer, certificates }, { ca: [root.pem] })).toBe('authentic');
    expect(verdict({ by: signer }, { ca: [middle.pem] })).toBe('authentic');
  });

  it('is authentic by a pinned certificate, whatever came with the record', () => {
    expect(verdict({ by: signer, certificates: [] }, { certificates: [signer.pem] })).toBe('authentic');
    expect(verdict({ by: stranger }, { certificates: [signer.pem] })).toBe('SIGNATURE_INVALID');
  });

  it('by any of several pinned certificates is authentic', () => {
    expect(verdict({ by: signer }, { certificates: [stranger.pem, signer.pem] })).toBe('authentic');
  });

  it('by a pinned certificate must chain too where an authority is given', () => {
    expect(verdict({ by: signer }, { certificates: [signer.pem], ca: [middle.pem] })).toBe('authentic');
    const foreign = identity({ name: 'Foreign', isAuthority: true });
    expect(verdict({ by: signer }, { certificates: [signer.pem], ca: [foreign.pem] })).toBe('SIGNATURE_INVALID');
  });

  it('is never trusted for a certificate that came with the record alone', () => {
    expect(verdict({ by: stranger }, {})).toBe('SIGNATURE_INVALID');
    expect(verdict({ by: stranger }, { ca: [root.pem] })).toBe('SIGNATURE_INVALID');
    expect(verdict({ by: signer }, {})).toBe('SIGNATURE_UNVERIFIABLE');
    const certificates = [signer.pem, middle.pem, root.pem];
    expect(verdict({ by: signer, certificates }, {})).toBe('SIGNATURE_UNVERIFIABLE');
  });

  it('is invalid where a certificate without the right to issue issued the leaf', () => {
    const leaf = identity({ name: SIGNER, issuer: signer });
    const certificates = [leaf.pem, signer.pem, middle.pem];
    // The honest signer is in the bundle and trusted; the leaf it "issued" is not, so the signature is nobody's.
    expect(verdict({ by: leaf, certificates }, { ca: [root.pem] })).toBe('SIGNATURE_INVALID');
  });

  it("is invalid by another subject of the same authority: the authority's other customers are not PayPal", () => {
    const other = identity({ name: 'messageverificationcerts.paypal.com.evil.com', issuer: middle });
    expect(verdict({ by: other }, { ca: [middle.pem] })).toBe('SIGNATURE_INVALID');
  });

  it('is judged with the certificates valid at received_at, each link of them', () => {
    const certificates = [signer.pem, middle.pem];
    const seen = (when: string) =>
      verdict({ by: signer, certificates, receivedAt: Date.parse(when) }, { ca: [root.pem] });
    expect(seen('2026-09-30T23:59:59Z')).toBe('authentic');
    expect(seen('2026-11-01T00:00:00Z')).toBe('SIGNATURE_INVALID');
    expect(seen('2025-12-31T23:59:59Z')).toBe('SIGNATURE_INVALID');
    const pinned = { certificates: [signer.pem] };
    expect(verdict({ by: signer, receivedAt: Date.parse('2026-12-31T23:59:59.5Z') }, pinned)).toBe('authentic');
    expect(verdict({ by: signer, receivedAt: Date.parse('2027-01-01T00:00:00Z') }, pinned)).toBe('SIGNATURE_INVALID');
  });

  it('covers the raw body and the webhook id', () => {
    const pinned = { certificates: [signer.pem] };
    expect(verdict({ by: signer }, pinned, `${BODY}\n`)).toBe('SIGNATURE_INVALID');
    expect(verdict({ by: signer }, { ...pinned, webhookId: 'OTHER' })).toBe('SIGNATURE_INVALID');
  });

  it.each(['PAYPAL-TRANSMISSION-ID', 'PAYPAL-TRANSMISSION-TIME', 'PAYPAL-TRANSMISSION-SIG', 'PAYPAL-CERT-URL'])(
    'without %s cannot be checked',
    (name) => {
      const answer = verdict({ by: signer, headers: { [name]: undefined } }, { ca: [middle.pem] });
      expect(answer).toBe('SIGNATURE_UNVERIFIABLE');
    },
  );

  it('without a certificate, or with one that cannot be read, cannot be checked', () => {
    expect(verdict({ by: signer, certificates: [] }, { ca: [middle.pem] })).toBe('SIGNATURE_UNVERIFIABLE');
    const broken = ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'];
    expect(verdict({ by: signer, certificates: broken }, { ca: [middle.pem] })).toBe('SIGNATURE_UNVERIFIABLE');
  });

  it.each([
    [{ 'PAYPAL-CERT-URL': 'https://api.paypal.com.evil.com/v1/notifications/certs/CERT-1' }],
    [{ 'PAYPAL-AUTH-ALGO': 'MD5withRSA' }],
    [{ 'PAYPAL-TRANSMISSION-SIG': 'AAAA' }],
    [{ 'paypal-transmission-id': 'tx-2' }],
  ])('with %j is invalid', (headers) => {
    expect(verdict({ by: signer, headers }, { ca: [middle.pem] })).toBe('SIGNATURE_INVALID');
    expect(verdict({ by: signer, headers }, { certificates: [signer.pem] })).toBe('SIGNATURE_INVALID');
  });

  it("of the simulator is refused outside test mode, by the endpoint's id or the event's", () => {
    const pinned = { certificates: [signer.pem] };
    const simulator = { ...pinned, webhookId: 'WEBHOOK_ID' };
    expect(verdict({ by: signer, webhookId: 'WEBHOOK_ID' }, simulator)).toBe('SIMULATOR_EVENT');
    expect(verdict({ by: signer, webhookId: 'WEBHOOK_ID' }, pinned)).toBe('SIMULATOR_EVENT');
    expect(verdict({ by: signer, webhookId: 'WEBHOOK_ID' }, simulator, BODY, true)).toBe('authentic');
    expect(verdict({ by: signer, webhookId: 'WEBHOOK_ID' }, pinned, BODY, true)).toBe('authentic');
  });
});

describe('certificates that all issue one another', () => {
  it('are given up on, in bounded time', () => {
    const self = identity({ name: 'Loop', isAuthority: true });
    const twins = Array.from({ length: 10 }, () => identity({ name: 'Loop', issuer: self, isAuthority: true }));
    const leaf = identity({ name: SIGNER, issuer: self });
    const started = process.cpuUsage();
    const certificates = [leaf.pem, self.pem, ...twins.map((twin) => twin.pem)];
    expect(verdict({ by: leaf, certificates }, { ca: [root.pem] })).toBe('SIGNATURE_INVALID');
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

describe('a certificate URL', () => {
  it.each([
    'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1a5f47cb',
    'https://api-m.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    'https://api-m.sandbox.paypal.com:443/v1/notifications/certs/CERT-1',
  ])('%s is PayPal’s', (url) => {
    expect(isCertificateUrl(url)).toBe(true);
  });

  it.each([
    'http://api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com.evil.com/v1/notifications/certs/CERT-1',
    'https://evil.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com:8443/v1/notifications/certs/CERT-1',
    'https://user:pass@api.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com@evil.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/../../other',
    'https://api.paypal.com/v1/notifications/certs/',
    'https://www.paypal.com/v1/notifications/certs/CERT-1',
    'file:///etc/passwd',
    'not a url',
  ])('%s is not', (url) => {
    expect(isCertificateUrl(url)).toBe(false);
  });
});
