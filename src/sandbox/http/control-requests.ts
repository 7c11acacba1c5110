import { z } from 'zod';
import { duration } from '../duration.ts';
import { callRuleSchema, paymentSchema, webhookRuleSchema } from '../scenario-schema.ts';

const provider = z.enum(['paypal', 'square', 'shopify', 'stripe']);
const id = z.string().min(1).max(255);
const account = z.string().default('merchant-1');

/** The bodies of the control requests, by path below `/_sandbox/`. */
export const CONTROL = {
  payments: paymentSchema,
  refunds: z.strictObject({ provider, account, payment: id, amount: z.string().optional() }),
  complete: z.strictObject({ provider, refund: id }),
  fail: z.strictObject({ provider, refund: id }),
  cancel: z.strictObject({ provider, refund: id }),
  reverse: z.strictObject({ provider, payment: id }),
  redeliver: z.strictObject({ provider, event: id }),
  calls: callRuleSchema,
  webhooks: webhookRuleSchema,
  advance: z.strictObject({ by: duration }),
} as const;

export type ControlName = keyof typeof CONTROL;
