import {
  type DecideHandoff,
  type HandoffDecided,
  type HandoffObservation,
  type HandoffPlan,
  paymentKey,
  printInstant,
  type ReceiptBody,
  type ReceiptObservation,
} from '../../src/evaluator/index.ts';
import { handoffExample } from '../unit/records/handoff-example.ts';
import { at, PAYPAL } from './story.ts';

/** A plan of 10.00 USD on the payment of the stories, held for fifteen minutes. */
export const storyPlan = (id: string, seconds: number, over: Partial<HandoffPlan> = {}): HandoffPlan => {
  const example = handoffExample().plan as HandoffPlan;
  return {
    ...example,
    handoff_id: id,
    refund: { ...example.refund, amount: '10.00', currency: 'USD', provider_amount: '10.00', counterparty: 'payer-1' },
    adapter: { ...example.adapter, rail: 'paypal' },
    authority: { ...example.authority, expires_at: printInstant(at(seconds + 3600)) },
    idempotency_key: `key-${id}`,
    requested_at: printInstant(at(seconds)),
    hold_until: printInstant(at(seconds + 900)),
    ...over,
  };
};

/** The digest of a story's plan: a name is enough. */
export const digestOf = (id: string): string => `digest-${id}`;

/** An answer as a decision gives it. @param plan null: refused */
export const storyAnswer = (request: HandoffObservation, plan: HandoffPlan | null, seconds = 0): HandoffDecided => ({
  ...handoffExample(),
  handoff_id: request.handoffId,
  provider: PAYPAL.provider,
  account: PAYPAL.account,
  payment_key: paymentKey(PAYPAL),
  decision: plan === null ? 'refused' : 'planned',
  plan,
  plan_digest: plan === null ? null : digestOf(request.handoffId),
  operation: null,
  requested_at: printInstant(request.at),
  decided_at: printInstant(at(seconds)),
  request: request.source,
});

/** Grants what is asked for, as {@link storyPlan}. */
export const grantAll: DecideHandoff = ({ request, now }) => ({
  ...storyAnswer(request, storyPlan(request.handoffId, (request.at - at(0)) / 1000)),
  decided_at: printInstant(now),
});

export const asked = (id: string, seconds: number, offset = 0): HandoffObservation => ({
  kind: 'handoff',
  at: at(seconds),
  source: { topic: 'handoff-requested', partition: 0, offset: String(offset) },
  handoffId: id,
  requestDigest: id,
  terms: {
    chargeRef: 'rcpt-1',
    amount: '10.00',
    currency: 'USD',
    reason: 'x',
    rail: 'paypal',
    counterparty: 'payer-1',
  },
  problems: [],
  authority: null,
  binding: null,
});

export const receiptBody = (digest: string, over: Partial<ReceiptBody> = {}): ReceiptBody => ({
  digest,
  issuer: 'ledger',
  payer: 'payer-1',
  amount: '50.00',
  currency: 'USD',
  rail: 'paypal',
  realm: 'live',
  proof: ['evt'],
  gateway: null,
  issuedAt: printInstant(at(-60)),
  refund: null,
  ...over,
});

export const receipt = (
  ref: string,
  seconds: number,
  body: ReceiptBody | null,
  over: Partial<ReceiptObservation> = {},
): ReceiptObservation => ({
  kind: 'receipt',
  at: at(seconds),
  source: { topic: 'charge-receipts', partition: 0, offset: '0' },
  of: 'charge',
  receiptRef: ref,
  standing: body === null ? 'unsealed' : 'proven',
  why: body === null ? 'its signature does not match' : null,
  body,
  ...over,
});
