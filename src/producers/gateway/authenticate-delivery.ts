import { isUtf8 } from 'node:buffer';
import { OperatingError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../evaluator/index.ts';
import type { CertificateSource } from '../../ports/certificate-source.ts';
import type { Delivery } from '../../providers/adapter.ts';
import { hintHeader } from '../../providers/delivery-header.ts';
import { type Endpoint, PROVIDERS } from '../../providers/index.ts';
import { own } from '../../providers/own.ts';
import { isCertificateUrl } from '../../providers/paypal/index.ts';
import { readJsonText } from '../../records/index.ts';

/** A delivery that is proven to be the provider's, for one of the accounts behind the endpoint. */
export interface Proven {
  readonly outcome: 'proven';
  readonly account: string;
  /** PEM, PayPal only: what the signature was checked with */
  readonly certificates: readonly string[];
  /** the payment that the event is about; null where it cannot be told: the consumer finds out, or sets it aside */
  readonly paymentId: string | null;
}

/**
 * - `forged`: not the provider's, as far as can be told. Never tried again.
 * - `unverifiable`: cannot be checked now (a certificate, a secret in force): the provider should send it again.
 * - `misaddressed`: authentic, and of an account that is not this endpoint's.
 */
export interface Unproven {
  readonly outcome: 'forged' | 'unverifiable' | 'misaddressed';
  readonly code: OperatingError['code'];
  /** never a secret */
  readonly reason: string;
}

/** Another way to check a PayPal delivery whose certificate cannot be had: PayPal's own word. */
export interface PostbackVerifier {
  /** null: this endpoint has none. Throws SIGNATURE_UNVERIFIABLE where PayPal does not answer. */
  verify(delivery: Delivery, endpoint: Endpoint): Promise<boolean | null>;
}

export interface AuthenticateOptions {
  readonly certificates: CertificateSource;
  readonly postback?: PostbackVerifier | undefined;
  readonly testMode: boolean;
}

const ACCOUNT = /^[A-Za-z0-9._-]{1,128}$/;

const bodyOf = (raw: Buffer): JsonObject | null => {
  if (!isUtf8(raw)) return null;
  const read = readJsonText(raw.toString('utf8'));
  return read.ok && isJsonObject(read.value) ? read.value : null;
};

const certificatesFor = async (
  { certificates }: AuthenticateOptions,
  delivery: Delivery,
  endpoint: Endpoint,
): Promise<readonly string[]> => {
  if (endpoint.provider !== 'paypal' || endpoint.certificates.length > 0) return [];
  const url = hintHeader(delivery.headers, 'paypal-cert-url');
  // Without a URL that may be fetched the check itself says what is wrong.
  return url !== null && isCertificateUrl(url) ? [await certificates.pem(url)] : [];
};

type Checked = { readonly outcome: 'authentic'; readonly certificates: readonly string[] } | Unproven;

const unproven = (code: Unproven['code'], reason: string): Unproven => ({
  outcome: code === 'SIGNATURE_UNVERIFIABLE' ? 'unverifiable' : 'forged',
  code,
  reason,
});

const checkBySignature = async (
  options: AuthenticateOptions,
  delivery: Delivery,
  endpoint: Endpoint,
): Promise<Checked> => {
  try {
    const certificates = await certificatesFor(options, delivery, endpoint);
    const adapter = PROVIDERS[endpoint.provider];
    const answer = adapter.authenticate({ ...delivery, certificates }, endpoint, options.testMode);
    if (answer.outcome === 'refused') return unproven(answer.code, answer.reason);
    return { outcome: 'authentic', certificates };
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    return unproven(error.code, error.message);
  }
};

const check = async (options: AuthenticateOptions, delivery: Delivery, endpoint: Endpoint): Promise<Checked> => {
  const checked = await checkBySignature(options, delivery, endpoint);
  if (checked.outcome !== 'unverifiable' || options.postback === undefined) return checked;
  try {
    const isPayPals = await options.postback.verify(delivery, endpoint);
    if (isPayPals === null) return checked;
    if (isPayPals) return { outcome: 'authentic', certificates: [] };
    return unproven('SIGNATURE_INVALID', 'PayPal says that it did not sign this');
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    return unproven(error.code, error.message);
  }
};

const prove = (
  delivery: Delivery,
  endpoint: Endpoint,
  body: JsonObject | null,
  certificates: readonly string[],
): Proven | Unproven => {
  const adapter = PROVIDERS[endpoint.provider];
  const misaddressed = (reason: string): Unproven => ({ outcome: 'misaddressed', code: 'ACCOUNT_MISMATCH', reason });
  const { accountField } = endpoint;
  const account = endpoint.account ?? (accountField === null || body === null ? null : own(body, accountField));
  if (typeof account !== 'string' || !ACCOUNT.test(account)) {
    return misaddressed(`body.${accountField ?? 'account'} names no account that a record can have`);
  }
  // A body that is no JSON goes on under the endpoint's own account: what to do with it is the consumer's to say.
  if (body === null) return { outcome: 'proven', account, certificates, paymentId: null };
  const mismatch = adapter.tenantMismatch(body, delivery.headers, endpoint);
  if (mismatch !== null) return misaddressed(mismatch);
  const event = adapter.event(body, delivery.headers);
  const paymentId = event.outcome === 'event' ? event.paymentId : null;
  return { outcome: 'proven', account, certificates, paymentId };
};

/** What is nearest to being right says most about what is wrong. */
const NEARNESS: Readonly<Record<Unproven['outcome'], number>> = { misaddressed: 2, unverifiable: 1, forged: 0 };

/**
 * Proves a delivery by the endpoints that share its URL (several accounts may): the first whose signature and tenant both hold.
 * Checked as the keyed consumer will check it again, by the same rules.
 */
export const authenticateDelivery = async (
  options: AuthenticateOptions,
  delivery: Omit<Delivery, 'raw' | 'certificates'> & { readonly raw: Buffer },
  endpoints: readonly Endpoint[],
): Promise<Proven | Unproven> => {
  let best: Unproven | null = null;
  let body: JsonObject | null | undefined;
  for (const endpoint of endpoints) {
    const checked = await check(options, { ...delivery, certificates: [] }, endpoint);
    let found: Proven | Unproven;
    if (checked.outcome === 'authentic') {
      // Parsed only once somebody has proven it: strangers' JSON is not our work.
      if (body === undefined) body = bodyOf(delivery.raw);
      found = prove({ ...delivery, certificates: [] }, endpoint, body, checked.certificates);
    } else found = checked;
    if (found.outcome === 'proven') return found;
    if (best === null || NEARNESS[found.outcome] > NEARNESS[best.outcome]) best = found;
  }
  return best ?? unproven('ENDPOINT_UNKNOWN', 'no endpoint has this URL');
};
