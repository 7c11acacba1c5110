import { z } from 'zod';
import { instantMs } from '../evaluator/instant.ts';
import { duration, span } from './duration.ts';

const provider = z.enum(['paypal', 'square', 'shopify', 'stripe']);

const AN_ACCOUNT = 'an account name: 1 to 128 of the characters A-Z a-z 0-9 . _ -';
const account = z.string(AN_ACCOUNT).regex(/^[A-Za-z0-9._-]{1,128}$/, AN_ACCOUNT);

const AN_AMOUNT = 'an amount of money as a decimal text, e.g. "10.00"';
const amount = z.string(AN_AMOUNT).regex(/^\d{1,15}(?:\.\d{1,6})?$/, AN_AMOUNT);

const A_CURRENCY = 'a currency of three capital letters, e.g. USD';
const currency = z.string(A_CURRENCY).regex(/^[A-Z]{3}$/, A_CURRENCY);

const AN_ID = 'an id of 1 to 255 characters without spaces';
const id = z.string(AN_ID).regex(/^[\x21-\x7e]{1,255}$/, AN_ID);

const A_COUNT = 'a whole number, at least 1';
const count = z.int(A_COUNT).min(1, A_COUNT);

const share = z.number('a share from 0 to 1').min(0, 'a share from 0 to 1').max(1, 'a share from 0 to 1');

/** What every rule may ask for. `nth` counts what meets the rest of the rule; `share` is drawn from the seed. */
const matched = {
  provider: provider.optional(),
  account: account.optional(),
  payment: id.optional(),
  nth: count.optional(),
  share: share.optional(),
};

const settled = z.enum(['completed', 'failed', 'cancelled']);

const A_PATH = 'a path like amount.value or purchase_units[0].payments';
const path = z.string(A_PATH).regex(/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d{1,4}\])*$/, A_PATH);

/** How an answer or event differs from what the provider documents today. */
const drift = z.strictObject({
  add: z.record(path, z.json()).default({}),
  remove: z.array(path).default([]),
  /** a number becomes a text, a text or anything else a number or a list */
  retype: z.array(path).default([]),
});

const refundRule = z.strictObject({
  when: z
    .strictObject({
      ...matched,
      amount: amount.optional(),
      key: id.optional(),
      by: z.enum(['api', 'dashboard']).optional(),
    })
    .prefault({}),
  /** until then reads answer that there is no such refund, and lists leave it out */
  visible_after: span.optional(),
  /** from its creation until it is no longer pending */
  settle_after: z.union([z.literal('never'), span]).optional(),
  ends: settled.optional(),
  /** what becomes of it later, each counted from the one before */
  later: z.array(z.strictObject({ after: span, state: settled })).default([]),
});

const CALLS = [
  'token',
  'refund.create',
  'refund.read',
  'refund.list',
  'payment.read',
  'order.read',
  'webhook.verify',
  'webhook.resend',
  'certificate',
  'other',
] as const;

const callRule = z.strictObject({
  when: z
    .strictObject({
      ...matched,
      call: z.enum(CALLS).optional(),
      /** since the sandbox's start */
      from: duration.optional(),
      until: duration.optional(),
    })
    .prefault({}),
  /** instead of an answer; nothing is done */
  answer: z.enum(['rate_limited', 'unavailable', 'error', 'unauthorized', 'reset', 'html']).optional(),
  /** it is done, and the connection is cut before the answer */
  lost: z.boolean().default(false),
  /** the answer takes this long */
  slow: span.optional(),
  drift: drift.optional(),
});

const webhookRule = z.strictObject({
  when: z.strictObject({ ...matched, type: z.string().min(1).optional() }).prefault({}),
  /** from the event to its first delivery */
  delay: span.optional(),
  lost: z.boolean().default(false),
  /** deliveries of the same event, each acknowledged or not */
  copies: z.int('a whole number from 1 to 20').min(1).max(20).default(1),
  /** between the copies */
  gap: span.optional(),
  /** signed with a key that is not the provider's */
  forged: z.boolean().default(false),
  drift: drift.optional(),
});

const payment = z.strictObject({
  provider,
  account: account.default('merchant-1'),
  id: id.optional(),
  amount,
  currency: currency.default('USD'),
  /** PayPal: the order that it was captured for; made up unless given */
  order_id: id.optional(),
});

const event = z.strictObject({
  at: duration,
  do: z.enum(['refund', 'complete', 'fail', 'cancel', 'reverse']),
  provider,
  account: account.default('merchant-1'),
  payment: id,
  /** `refund`: how much; what is left unless given */
  amount: amount.optional(),
  /** `complete`, `fail`, `cancel`: which of the payment's refunds, in the order of their creation */
  nth: count.default(1),
});

const limit = z.strictObject({
  per_second: z.number('calls a second, more than 0').positive('calls a second, more than 0'),
  burst: count.default(10),
});

const AN_INSTANT = 'an RFC 3339 instant, e.g. "2026-09-01T12:00:00Z"';

/** A scenario file: the accounts and payments of a sandbox, and everything that goes otherwise than usual. */
export const scenarioSchema = z.strictObject({
  name: z.string().min(1).default('plain'),
  about: z.string().optional(),
  seed: z.int('a whole number').min(0).max(0xffff_ffff).default(1),
  /** where a clock that is moved by hand begins */
  start_at: z
    .string(AN_INSTANT)
    .refine((text) => instantMs(text) !== null, AN_INSTANT)
    .default('2026-09-01T12:00:00Z'),
  accounts: z
    .array(z.strictObject({ provider, account }))
    .default(provider.options.map((name) => ({ provider: name, account: 'merchant-1' }))),
  payments: z.array(payment).default([]),
  limits: z.partialRecord(provider, limit).default({}),
  refunds: z.array(refundRule).default([]),
  calls: z.array(callRule).default([]),
  webhooks: z.array(webhookRule).default([]),
  events: z.array(event).default([]),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type RefundRule = Scenario['refunds'][number];
export type CallRule = Scenario['calls'][number];
export type WebhookRule = Scenario['webhooks'][number];
export type Drift = z.output<typeof drift>;
export type CallName = (typeof CALLS)[number];
export type Fault = NonNullable<CallRule['answer']>;
export type PaymentGiven = z.input<typeof payment>;
export const paymentSchema = payment;
/** The body of `POST /_sandbox/calls` and `/_sandbox/webhooks`. */
export { callRule as callRuleSchema, webhookRule as webhookRuleSchema };
