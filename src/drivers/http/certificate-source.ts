import { Agent, type Dispatcher, request } from 'undici';
import { OperatingError } from '../../errors.ts';
import type { CertificateSource } from '../../ports/certificate-source.ts';
import { isCertificateUrl } from '../../providers/paypal/index.ts';

export interface CertificateSourceOptions {
  /** milliseconds for the whole of one fetch */
  readonly timeoutMs: number;
  /** for tests: answers instead of the network */
  readonly dispatcher?: Dispatcher;
}

/** A bundle of certificates is a tenth of this. */
const BYTES_MAX = 100_000;

const unavailable = (reason: string, cause?: unknown): OperatingError =>
  new OperatingError(
    'SIGNATURE_UNVERIFIABLE',
    `the certificate ${reason}`,
    cause === undefined ? {} : { cause, context: {} },
  );

const readCapped = async (body: Dispatcher.ResponseData['body']): Promise<string> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > BYTES_MAX) throw unavailable(`answer is longer than ${BYTES_MAX} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('latin1');
};

/** Fetches certificates over the network: PayPal's own hosts alone, no redirects, within a deadline, no more than 100 kB. */
export const createCertificateSource = (options: CertificateSourceOptions): CertificateSource => {
  const { timeoutMs } = options;
  const dispatcher =
    options.dispatcher ?? new Agent({ connections: 4, connect: { timeout: timeoutMs }, maxHeaderSize: 16_384 });
  return {
    pem: async (url) => {
      if (!isCertificateUrl(url)) throw unavailable("is not under one of PayPal's URLs");
      try {
        const { statusCode, body } = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMs) });
        if (statusCode !== 200) {
          body.destroy();
          throw unavailable(`was answered with HTTP ${statusCode}`);
        }
        const pem = await readCapped(body);
        if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw unavailable('answer holds no PEM certificate');
        return pem;
      } catch (error) {
        if (error instanceof OperatingError) throw error;
        throw unavailable(`could not be fetched: ${(error as Error).message}`, error);
      }
    },
  };
};
