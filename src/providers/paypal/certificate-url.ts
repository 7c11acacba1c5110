const HOSTS: ReadonlySet<string> = new Set([
  'api.paypal.com',
  'api-m.paypal.com',
  'api.sandbox.paypal.com',
  'api-m.sandbox.paypal.com',
]);

/**
 * Whether a `PAYPAL-CERT-URL` may be fetched, and its answer believed to be PayPal's: https, exactly a PayPal API host, port
 * 443, a path below /v1/notifications/certs/, no credentials. Anything else would let whoever sends the header choose the
 * key that proves the event.
 */
export const isCertificateUrl = (text: string): boolean => {
  if (text.length > 500 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === 'https:' &&
    HOSTS.has(url.hostname) &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    /^\/v1\/notifications\/certs\/[A-Za-z0-9_-]+$/.test(url.pathname)
  );
};
