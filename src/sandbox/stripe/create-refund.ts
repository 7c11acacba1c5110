import type { JsonObject } from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AccountOf } from '../account.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Payment } from '../model.ts';
import { decimalOf } from '../money.ts';
import type { Answer, SandboxRequest, StandTools } from '../stand.ts';
import { SandboxRefusal, type World } from '../world.ts';
import { notFound, stripeError } from './errors.ts';
import { refundOf } from './forms.ts';

/** How long Stripe keeps an idempotency key at the least. */
const KEPT_MS = 24 * 3_600_000;
const REASONS: ReadonlySet<string> = new Set(['duplicate', 'fraudulent', 'requested_by_customer']);

const metadataOf = (form: URLSearchParams): JsonObject =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[([^\]]{1,40})\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value.slice(0, 500)]];
    }),
  );

const paymentIn = (world: World, form: URLSearchParams, account: string): Payment | Answer => {
  const charge = form.get('charge') ?? form.get('payment_intent')?.replace(/^pi_/, 'ch_');
  if (charge === undefined || charge === '')
    return stripeError(
      400,
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  const payment = world.payment('stripe', charge);
  return payment?.account === account ? payment : notFound('charge', charge, 'charge');
};

const amountIn = (form: URLSearchParams): bigint | null | Answer => {
  const text = form.get('amount');
  if (text === null) return null;
  if (/^[1-9]\d{0,15}$/.test(text)) return BigInt(text);
  return stripeError(400, `Invalid integer: ${text.slice(0, 40)}`, {
    code: 'parameter_invalid_integer',
    param: 'amount',
  });
};

const tooMuch = ({ reason }: SandboxRefusal, payment: Payment, minor: bigint | null): Answer => {
  if (reason === 'fully_refunded')
    return stripeError(400, `Charge ${payment.id} has already been refunded.`, { code: 'charge_already_refunded' });
  const asked = decimalOf(minor ?? 0n, payment.currency, 'stripe');
  return stripeError(400, `Refund amount (${asked}) is greater than unrefunded amount on charge.`, { param: 'amount' });
};

const refundWith = (world: World, request: SandboxRequest, account: AccountOf<'stripe'>): Answer => {
  const form = new URLSearchParams(request.text);
  const payment = paymentIn(world, form, account.account);
  if ('status' in payment) return payment;
  const minor = amountIn(form);
  if (minor !== null && typeof minor !== 'bigint') return minor;
  const reason = form.get('reason');
  if (reason !== null && !REASONS.has(reason))
    return stripeError(400, `Invalid reason: must be one of ${[...REASONS].join(', ')}`, { param: 'reason' });
  const details = { metadata: metadataOf(form), reason };
  try {
    const key = request.header('idempotency-key');
    return { status: 200, body: refundOf(world.refundPayment(payment, { minor, key, by: 'api', details })) };
  } catch (error) {
    if (error instanceof SandboxRefusal) return tooMuch(error, payment, minor);
    throw error;
  }
};

/** `POST /v1/refunds`. The same key answers what it answered then, word for word; with other parameters it is refused. */
export const createRefund = ({ world, clock }: { readonly world: StandTools['world']; readonly clock: Clock }) => {
  const keys = new BoundedMap<{ readonly text: string; readonly answer: Answer; readonly until: number }>();
  return (request: SandboxRequest, account: AccountOf<'stripe'>): Answer => {
    const key = request.header('idempotency-key');
    const known = keys.get(`${account.account}/${key}`);
    if (key !== null && known !== undefined && known.until > clock.now()) {
      if (known.text === request.text) return { ...known.answer, headers: { 'idempotent-replayed': 'true' } };
      const message =
        'Keys for idempotent requests can only be used with the same parameters they were first used with.';
      return stripeError(400, message, { type: 'idempotency_error' });
    }
    const answer = refundWith(world, request, account);
    if (key !== null)
      keys.set(`${account.account}/${key}`, { text: request.text, answer, until: clock.now() + KEPT_MS });
    return answer;
  };
};
