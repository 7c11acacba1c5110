import { z } from 'zod';
import { instantMs } from '../evaluator/instant.ts';

const words = (wants: string) => z.string(wants).min(1, wants);

const instant = z
  .string('an RFC 3339 instant, e.g. 2026-01-01T00:00:00Z')
  .refine((text) => instantMs(text) !== null, 'an RFC 3339 instant, e.g. 2026-01-01T00:00:00Z');

const A_SECRET = 'a secret, or { value, from, to }';

const secret = z.union(
  [
    words(A_SECRET),
    z
      .strictObject({ value: words('the secret'), from: instant.optional(), to: instant.optional() })
      .refine(({ from, to }) => from === undefined || to === undefined || isBefore(from, to), 'from before to'),
  ],
  A_SECRET,
);

const isBefore = (from: string, to: string): boolean => (instantMs(from) ?? 0) < (instantMs(to) ?? 0);

const secrets = z.array(secret, 'a list of secrets').min(1, 'at least one secret');

const pems = z.array(words('the path of a PEM file, or PEM text'), 'a list of PEM files').default([]);

const AN_ACCOUNT = 'an account name: 1 to 128 of the characters A-Z a-z 0-9 . _ -';

const account = z.string(AN_ACCOUNT).regex(/^[A-Za-z0-9._-]{1,128}$/, AN_ACCOUNT);

const endpoint = words('the name of the endpoint, as records have it').default('default');

/** An account of its own, or (where many share one) the body field that names it. */
const oneOf = { account: account.optional(), account_field: z.enum(['merchant_id', 'account']).optional() };

const paypal = z.strictObject({
  provider: z.literal('paypal'),
  account,
  endpoint,
  webhook_id: words("the webhook's id, as PayPal's dashboard shows it"),
  certificates: pems,
  ca: pems,
});

const square = z.strictObject({
  provider: z.literal('square'),
  ...oneOf,
  endpoint,
  signature_keys: secrets,
  notification_url: z
    .string('the URL registered with Square')
    .refine((text) => URL.canParse(text), 'the URL registered with Square, byte for byte'),
  merchant_id: words("the merchant id that the body's merchant_id must be").optional(),
});

const shopify = z.strictObject({
  provider: z.literal('shopify'),
  account,
  endpoint,
  secrets,
  shop_domain: words("the shop's domain, e.g. example.myshopify.com").optional(),
});

const stripe = z.strictObject({
  provider: z.literal('stripe'),
  ...oneOf,
  endpoint,
  secrets,
  tolerance_seconds: z.number('a number of seconds').min(0, 'a number of seconds, 0 or more').default(300),
  connected_account: words("the account id that the body's account must be (Connect)").optional(),
});

/**
 * One endpoint that a provider delivers events to, with the secrets that prove a delivery is the provider's. References
 * (`{ env }`, `{ file }`) are resolved before it is read.
 */
export const endpointSchema = z
  .discriminatedUnion('provider', [paypal, square, shopify, stripe], 'one of paypal, square, shopify, stripe')
  .superRefine((value, context) => {
    if (value.provider !== 'square' && value.provider !== 'stripe') return;
    if ((value.account === undefined) === (value.account_field === undefined)) {
      context.addIssue({ code: 'custom', path: ['account'], message: `${AN_ACCOUNT}, or else account_field` });
    }
    const field = value.provider === 'square' ? 'merchant_id' : 'account';
    if (value.account_field !== undefined && value.account_field !== field) {
      context.addIssue({ code: 'custom', path: ['account_field'], message: field });
    }
  });

/** An endpoint as the file states it. */
export type EndpointConfig = z.output<typeof endpointSchema>;

export type SecretConfig = z.output<typeof secret>;
