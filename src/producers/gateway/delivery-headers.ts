import type { ProviderName } from '../../evaluator/index.ts';
import type { DeliveryHeaders } from '../../providers/index.ts';

const shopify = ['hmac-sha256', 'topic', 'event-id', 'webhook-id', 'shop-domain', 'triggered-at'];

/** The headers that admission reads, in lower case. Nothing else of a request goes on. */
const READ: Readonly<Record<ProviderName, ReadonlySet<string>>> = {
  paypal: new Set([
    'paypal-transmission-id',
    'paypal-transmission-time',
    'paypal-transmission-sig',
    'paypal-cert-url',
    'paypal-auth-algo',
  ]),
  square: new Set(['x-square-hmacsha256-signature']),
  shopify: new Set(shopify.flatMap((name) => [`x-shopify-${name}`, `shopify-${name}`])),
  stripe: new Set(['stripe-signature']),
};

/** Without one of these no provider has ever sent a delivery: each list names the alternatives. */
const SIGNATURE: Readonly<Record<ProviderName, readonly string[]>> = {
  paypal: ['paypal-transmission-sig'],
  square: ['x-square-hmacsha256-signature'],
  shopify: ['x-shopify-hmac-sha256', 'shopify-hmac-sha256'],
  stripe: ['stripe-signature'],
};

/**
 * The headers of a request that go into the record, from Node's flat list of names and values. Node joins a header that is
 * given twice; here a second, different value is kept under the name in capitals, by which admission sees that it was doubled.
 */
export const deliveryHeaders = (provider: ProviderName, rawHeaders: readonly string[]): DeliveryHeaders => {
  const read = READ[provider];
  const found: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!read.has(name)) continue;
    const value = (rawHeaders[index + 1] ?? '').trim();
    const held = found[name];
    if (held === undefined) found[name] = value;
    else if (held !== value) found[name.toUpperCase()] = value;
  }
  return found;
};

/** Whether there is a signature at all. */
export const isSigned = (provider: ProviderName, headers: DeliveryHeaders): boolean =>
  SIGNATURE[provider].some((name) => (headers[name] ?? '') !== '');
