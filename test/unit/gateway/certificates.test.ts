import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { createCertificateSource } from '../../../src/drivers/http/certificate-source.ts';
import { OperatingError } from '../../../src/errors.ts';
import { createCertificateCache } from '../../../src/producers/gateway/certificate-cache.ts';

const HOST = 'https://api.paypal.com';
const PATH = '/v1/notifications/certs/CERT-1';
const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const UNVERIFIABLE = { code: 'SIGNATURE_UNVERIFIABLE' };

describe('fetching', () => {
  const source = (status: number, body: string, headers: Record<string, string> = {}) => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    agent.get(HOST).intercept({ path: PATH, method: 'GET' }).reply(status, body, { headers });
    return createCertificateSource({ timeoutMs: 1_000, dispatcher: agent });
  };

  it('answers with the PEM text', async () => {
    expect(await source(200, PEM).pem(HOST + PATH)).toBe(PEM);
  });

  it.each([
    ['a page that is no certificate', 200, '<html>', {}],
    ['an answer of 200 kB', 200, PEM + 'x'.repeat(200_000), {}],
    ['a redirect', 302, '', { location: 'https://evil.example/cert' }],
    ['an outage', 503, '', {}],
  ])('takes nothing from %s', async (_what, status, body, headers) => {
    await expect(source(status, body, headers).pem(HOST + PATH)).rejects.toMatchObject(UNVERIFIABLE);
  });

  it('connects to no other host, whoever asks it to', async () => {
    const asked = source(200, PEM).pem(`https://api.paypal.com.evil.example${PATH}`);
    await expect(asked).rejects.toMatchObject(UNVERIFIABLE);
  });
});

describe('remembering', () => {
  const cached = () => {
    const clock = { at: 0 };
    const asked: string[] = [];
    let isAway = false;
    const cache = createCertificateCache({
      source: {
        pem: async (url) => {
          asked.push(url);
          if (isAway) throw new OperatingError('SIGNATURE_UNVERIFIABLE', 'away');
          return `${PEM}${asked.length}`;
        },
      },
      clock: { now: () => clock.at },
      ttlMs: 60_000,
      fetched: () => undefined,
    });
    return { cache, clock, asked, away: (is: boolean) => (isAway = is) };
  };

  it('asks once for each URL while it is fresh, and for a new one at once: that is a rotation', async () => {
    const { cache, clock, asked } = cached();
    await cache.pem('1');
    clock.at = 59_000;
    expect(await cache.pem('1')).toBe(`${PEM}1`);
    expect(await cache.pem('2')).toBe(`${PEM}2`);
    clock.at = 60_000;
    expect(await cache.pem('1')).toBe(`${PEM}3`);
    expect(asked).toEqual(['1', '2', '1']);
  });

  it('uses the old one on where it cannot be fetched again', async () => {
    const { cache, clock, away } = cached();
    await cache.pem('1');
    away(true);
    clock.at = 60_000;
    expect(await cache.pem('1')).toBe(`${PEM}1`);
  });

  it('does not ask again at once for what has just failed', async () => {
    const { cache, clock, asked, away } = cached();
    away(true);
    await expect(cache.pem('1')).rejects.toMatchObject(UNVERIFIABLE);
    await expect(cache.pem('1')).rejects.toMatchObject(UNVERIFIABLE);
    expect(asked).toHaveLength(1);
    away(false);
    clock.at = 10_000;
    expect(await cache.pem('1')).toBe(`${PEM}2`);
  });
});
