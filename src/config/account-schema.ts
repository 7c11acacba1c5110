import { z } from 'zod';
import { isApiBase } from './is-api-base.ts';

const words = (wants: string) => z.string(wants).min(1, wants);

const AN_ACCOUNT = 'an account name: 1 to 128 of the characters A-Z a-z 0-9 . _ -';
const A_BASE = 'an http(s) URL without query, fragment and credentials';
const A_RATE = 'calls a second, more than 0 and at most 1000';

/** What every account may say of how it is called. Unset: what its provider is known to bear. */
const calls = {
  account: z.string(AN_ACCOUNT).regex(/^[A-Za-z0-9._-]{1,128}$/, AN_ACCOUNT),
  api_base: z.string(A_BASE).refine(isApiBase, A_BASE).optional(),
  rate_per_second: z.number(A_RATE).gt(0, A_RATE).max(1000, A_RATE).optional(),
  burst: z.int('a whole number of calls, at least 1').min(1, 'a whole number of calls, at least 1').optional(),
  concurrency: z.int('a whole number from 1 to 256').min(1).max(256).default(8),
};

/** It goes into a header: one line of printable ASCII. */
const credential = (wants: string) => z.string(wants).regex(/^[\x21-\x7e]{1,4096}$/, wants);

const paypal = z.strictObject({
  provider: z.literal('paypal'),
  ...calls,
  client_id: credential('the client id of the REST app'),
  client_secret: credential('the secret of the REST app'),
});

const square = z.strictObject({
  provider: z.literal('square'),
  ...calls,
  access_token: credential('an access token with PAYMENTS_READ'),
  api_version: z.iso.date('a date like 2026-08-19').default('2026-08-19'),
});

const SHOP = "the shop's domain, e.g. example.myshopify.com";

const shopify = z.strictObject({
  provider: z.literal('shopify'),
  ...calls,
  shop_domain: words(SHOP)
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9-]*(\.[a-zA-Z0-9-]+)+$/, SHOP)
    .optional(),
  access_token: credential('an Admin API access token with read_orders'),
  api_version: z
    .string('a version like 2026-01')
    .regex(/^\d{4}-(01|04|07|10)$/, 'a version like 2026-01')
    .default('2026-01'),
});

const stripe = z.strictObject({
  provider: z.literal('stripe'),
  ...calls,
  secret_key: credential('a secret or restricted key that may read refunds'),
  api_version: z
    .string('a version like 2025-04-30.basil')
    .regex(/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/, 'a version like 2025-04-30.basil')
    .default('2025-04-30.basil'),
  connected_account: z
    .string('the id of a connected account, acct_…')
    .regex(/^acct_[A-Za-z0-9]{1,64}$/, 'the id of a connected account, acct_…')
    .optional(),
});

/** One account whose refunds may be read at its provider. References (`{ env }`, `{ file }`) are resolved before it is read. */
export const accountSchema = z
  .discriminatedUnion('provider', [paypal, square, shopify, stripe], 'one of paypal, square, shopify, stripe')
  .superRefine((value, context) => {
    if (value.provider !== 'shopify' || value.shop_domain !== undefined || value.api_base !== undefined) return;
    context.addIssue({ code: 'custom', path: ['shop_domain'], message: `${SHOP}, or else api_base` });
  });

/** An account as the file states it. */
export type AccountConfig = z.output<typeof accountSchema>;
