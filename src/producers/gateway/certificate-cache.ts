import { LRUCache } from 'lru-cache';
import { OperatingError } from '../../errors.ts';
import type { CertificateSource } from '../../ports/certificate-source.ts';
import type { Clock } from '../../ports/clock.ts';

export interface CertificateCacheOptions {
  readonly source: CertificateSource;
  readonly clock: Clock;
  /** milliseconds that a certificate is used before it is fetched again */
  readonly ttlMs: number;
  /** hears how each fetch ended */
  readonly fetched: (outcome: 'fetched' | 'failed') => void;
}

interface Held {
  readonly pem: string;
  readonly at: number;
}

const URLS_MAX = 64;
/** Whoever sends a header chooses the URL: so many are fetched at once, and one that failed is not asked again at once. */
const FETCHES_MAX = 8;
const FAILED_MS = 10_000;

/**
 * Remembers certificates by URL: PayPal puts a new one under a new URL, so that a rotation needs no more than the next event.
 * Callers that want the same URL share one fetch. Where a certificate that has to be fetched again cannot be, the old one is
 * used on: its own validity is judged with each delivery.
 */
export const createCertificateCache = (options: CertificateCacheOptions): CertificateSource => {
  const { source, clock, ttlMs, fetched } = options;
  const held = new LRUCache<string, Held>({ max: URLS_MAX });
  const failed = new LRUCache<string, { readonly at: number; readonly error: unknown }>({ max: 4 * URLS_MAX });
  const running = new Map<string, Promise<string>>();

  const fetchNow = async (url: string): Promise<string> => {
    try {
      const pem = await source.pem(url);
      held.set(url, { pem, at: clock.now() });
      failed.delete(url);
      fetched('fetched');
      return pem;
    } catch (error) {
      failed.set(url, { at: clock.now(), error });
      fetched('failed');
      const old = held.get(url);
      if (old !== undefined) return old.pem;
      throw error;
    } finally {
      running.delete(url);
    }
  };

  return {
    pem: async (url) => {
      const now = clock.now();
      const known = held.get(url);
      if (known !== undefined && now - known.at < ttlMs) return known.pem;
      const failure = failed.get(url);
      if (failure !== undefined && now - failure.at < FAILED_MS) {
        if (known !== undefined) return known.pem;
        throw failure.error;
      }
      const already = running.get(url);
      if (already !== undefined) return already;
      if (running.size >= FETCHES_MAX) {
        if (known !== undefined) return known.pem;
        throw new OperatingError('SIGNATURE_UNVERIFIABLE', 'too many certificates are being fetched already');
      }
      const fetching = fetchNow(url);
      running.set(url, fetching);
      return fetching;
    },
  };
};
