import {
  type DecideHandoff,
  type HandoffDecided,
  type HandoffQuestion,
  type HandoffRefusal,
  paymentKey,
  printInstant,
  type ReceiptBody,
} from '../evaluator/index.ts';
import { adapterCall } from './adapters/index.ts';
import { type Ceiling, ceilingOf } from './ceiling.ts';
import { checkAuthority } from './check-authority.ts';
import { checkCharge, checkRail, findCharge } from './check-charge.ts';
import { type Currency, currencyOf, isSendable, majorText, minorOfMajor } from './money.ts';
import { idempotencyKeyOf, type PlanParts, planOf } from './plan.ts';
import { isRail } from './rails.ts';
import { refusal } from './refusals.ts';
import { operationOf, type SealedPlan, sealPlan } from './sealed-plan.ts';

export interface HandoffSettings {
  /** how long a plan holds its sum, milliseconds */
  readonly holdMs: number;
}

/** What a request or a receipt held that an answer does not repeat. */
const REDACTIONS = ['authority.signature', 'charge_receipt.signature', 'provider credentials'];

const amountProblems = (asked: string, minor: bigint | null, money: Currency): HandoffRefusal[] => {
  if (minor === null)
    return [
      refusal('amount_malformed', asked, `decimal text with at most ${money.exponent} decimals, at most 15 digits`),
    ];
  if (minor <= 0n) return [refusal('amount_not_positive', asked, 'more than 0')];
  return isSendable(minor, money)
    ? []
    : [
        refusal(
          'amount_malformed',
          asked,
          `an amount that Stripe takes: in ${money.code} ${money.exponent === 3 ? 'its third decimal is 0' : 'it has no decimals'}`,
        ),
      ];
};

/** Holds the amount against what is left. What is above the charge itself is told as that alone. */
const ceilingProblems = (asked: string, minor: bigint, ceiling: Ceiling, money: Currency): HandoffRefusal[] => {
  const left = `at most ${majorText(ceiling.remaining, money)} ${money.code}`;
  if (minor > ceiling.charged)
    return [refusal('amount_above_charge', asked, `at most ${majorText(ceiling.charged, money)} ${money.code}`)];
  return minor > ceiling.remaining ? [refusal('amount_above_remaining', asked, left)] : [];
};

const historyProblems = ({ isReversed, isLimited }: HandoffQuestion): HandoffRefusal[] => [
  ...(isReversed
    ? [refusal('payment_reversed', 'a reversal by the provider', 'a payment whose money is still here')]
    : []),
  ...(isLimited
    ? [
        refusal(
          'state_limit',
          'more refunds, events, receipts or plans than are kept',
          'a payment of which all is known',
        ),
      ]
    : []),
];

interface Weighed {
  readonly refusals: readonly HandoffRefusal[];
  readonly parts: PlanParts | null;
}

const weighCharge = (question: HandoffQuestion, charge: ReceiptBody): Weighed => {
  const { request, payment } = question;
  const refusals = checkCharge(question, charge);
  const money = currencyOf(charge.currency, payment.provider);
  const charged = minorOfMajor(charge.amount, money);
  if (charged === null) {
    refusals.push(refusal('charge_incomplete', 'amount', `an amount of ${money.code}`));
    return { refusals, parts: null };
  }
  const ceiling = ceilingOf(question, charged, money);
  for (const one of ceiling.unmeasured)
    refusals.push(refusal('prior_refund_unmeasured', one, `an amount of ${money.code}`));
  const minor = minorOfMajor(request.terms.amount, money);
  refusals.push(...amountProblems(request.terms.amount, minor, money));
  if (minor === null || minor <= 0n) return { refusals, parts: null };
  if (charge.currency === request.terms.currency)
    refusals.push(...ceilingProblems(request.terms.amount, minor, ceiling, money));
  return { refusals, parts: { question, charge, money, minor, ceiling } };
};

/** A request whose charge is not known is still told what is wrong with its amount. */
const weighBare = ({ request, payment }: HandoffQuestion, refused: HandoffRefusal): Weighed => {
  const money = currencyOf(request.terms.currency, payment.provider);
  const minor = minorOfMajor(request.terms.amount, money);
  return { refusals: [refused, ...amountProblems(request.terms.amount, minor, money)], parts: null };
};

const plan = (parts: PlanParts, settings: HandoffSettings): SealedPlan | { readonly refused: HandoffRefusal } => {
  const { question, charge, money, minor } = parts;
  const { terms, requestDigest, authority } = question.request;
  if (!isRail(terms.rail) || authority === null) throw new TypeError('a plan is made of a request that was checked');
  const idempotencyKey = idempotencyKeyOf(charge, authority, requestDigest);
  const { payment } = question;
  const call = adapterCall(terms.rail, {
    payment,
    charge,
    minor,
    currency: money,
    reason: terms.reason,
    idempotencyKey,
  });
  if ('lacks' in call)
    return {
      refused: refusal('charge_incomplete', `rail ${terms.rail}`, `a charge receipt that states ${call.lacks}`),
    };
  return sealPlan(planOf(parts, authority, call, idempotencyKey, settings.holdMs));
};

const answer = (
  { request, payment, now, isDisputed }: HandoffQuestion,
  sealed: SealedPlan | null,
  refusals: readonly HandoffRefusal[],
): HandoffDecided => ({
  kind: 'handoff.decided',
  schema: 1,
  handoff_id: request.handoffId,
  provider: payment.provider,
  account: payment.account,
  payment_key: paymentKey(payment),
  request_digest: request.requestDigest,
  authority_key: request.authority?.key ?? null,
  decision: sealed === null ? 'refused' : 'planned',
  plan: sealed?.plan ?? null,
  plan_digest: sealed?.digest ?? null,
  operation: sealed === null ? null : operationOf(payment, sealed),
  refusals,
  notes: isDisputed ? ['The payer disputes the payment: a refund does not answer the dispute.'] : [],
  redactions: REDACTIONS,
  money_moved: false,
  provider_status: 'not_called',
  requested_at: printInstant(request.at),
  decided_at: printInstant(now),
  request: request.source,
});

/**
 * Decides requests for a plan. Pure: what was asked, what is proven and what is held decide, and the request's own time; no clock, no
 * I/O. A refusal lists every stop condition that held.
 */
export const createDecision =
  (settings: HandoffSettings): DecideHandoff =>
  (question) => {
    const found = findCharge(question);
    const charge = 'charge' in found ? found.charge : null;
    const weighed = 'charge' in found ? weighCharge(question, found.charge) : weighBare(question, found.refused);
    const refusals = [
      ...question.request.problems,
      ...checkRail(question),
      ...weighed.refusals,
      ...historyProblems(question),
      ...checkAuthority(question, charge),
    ];
    if (refusals.length > 0 || weighed.parts === null) return answer(question, null, refusals);
    const sealed = plan(weighed.parts, settings);
    return 'refused' in sealed ? answer(question, null, [sealed.refused]) : answer(question, sealed, []);
  };
