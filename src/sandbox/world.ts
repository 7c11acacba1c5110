import type { JsonObject, ProviderName } from '../evaluator/index.ts';
import type { Clock } from '../ports/clock.ts';
import { type SandboxAccount, sandboxAccount } from './account.ts';
import type { Agenda } from './agenda.ts';
import { REMEMBERED_MAX } from './bounded-map.ts';
import type { Draw } from './draw.ts';
import { paymentIdOf, refundIdOf } from './ids.ts';
import { type Change, type Payment, type Refund, type RefundState, refundedMinor } from './model.ts';
import { minorOf } from './money.ts';
import { refundCourse } from './refund-course.ts';
import { meetsAll, RuleBook } from './rule-book.ts';
import type { RefundRule, Scenario } from './scenario-schema.ts';

/** Why the world cannot do what is asked; `field` is the request's. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal';
  readonly reason: 'unknown' | 'exists' | 'invalid' | 'fully_refunded' | 'exceeds';
  readonly field: string;

  constructor(reason: SandboxRefusal['reason'], field: string, message: string) {
    super(message);
    this.reason = reason;
    this.field = field;
  }
}

export interface PaymentWanted {
  readonly provider: ProviderName;
  readonly account: string;
  readonly id?: string | undefined;
  readonly amount: string;
  readonly currency: string;
  readonly order_id?: string | undefined;
}

export interface RefundWanted {
  /** null: what is left of the payment */
  readonly minor: bigint | null;
  readonly key: string | null;
  readonly by: Refund['by'];
  readonly details: JsonObject;
}

/** The payments and refunds of a sandbox's accounts, and how they come about and change. */
export class World {
  readonly accounts: readonly SandboxAccount[];
  readonly #payments = new Map<string, Payment>();
  readonly #refunds = new Map<string, Refund>();
  readonly #draw: Draw;
  readonly #agenda: Agenda;
  readonly #clock: Clock;
  readonly #rules: RuleBook<RefundRule>;
  readonly #changed: (change: Change) => void;

  constructor(scenario: Scenario, draw: Draw, agenda: Agenda, clock: Clock, changed: (change: Change) => void) {
    this.#draw = draw;
    this.#agenda = agenda;
    this.#clock = clock;
    this.#changed = changed;
    this.#rules = new RuleBook(draw, 'refunds', scenario.refunds);
    this.accounts = scenario.accounts.map(({ provider, account }) => sandboxAccount(draw, provider, account));
  }

  payments(): readonly Payment[] {
    return [...this.#payments.values()];
  }

  payment(provider: ProviderName, id: string): Payment | null {
    return this.#payments.get(`${provider}:${id}`) ?? null;
  }

  paymentOfOrder(provider: ProviderName, orderId: string): Payment | null {
    return this.payments().find((payment) => payment.provider === provider && payment.orderId === orderId) ?? null;
  }

  /** Whether it is visible is the caller's to ask. */
  refund(provider: ProviderName, id: string): Refund | null {
    return this.#refunds.get(`${provider}:${id}`) ?? null;
  }

  /** Makes a captured payment. Throws {@link SandboxRefusal}. */
  pay(wanted: PaymentWanted): Payment {
    const { provider, account, amount, currency } = wanted;
    if (!this.accounts.some((one) => one.provider === provider && one.account === account))
      throw new SandboxRefusal('unknown', 'account', `account: was "${account}", should be an account of the scenario`);
    const minor = minorOf(amount, currency, provider);
    if (minor === null)
      throw new SandboxRefusal(
        'invalid',
        'amount',
        `amount: was "${amount}", should be more than 0, with no more decimals than ${currency} has`,
      );
    if (this.#payments.size >= REMEMBERED_MAX)
      throw new SandboxRefusal(
        'invalid',
        'payment',
        `the sandbox holds ${REMEMBERED_MAX} payments, which is all that it can hold; start it anew`,
      );
    const name = `payment/${provider}/${account}/${this.#payments.size}`;
    const id = wanted.id ?? paymentIdOf(this.#draw, provider, name);
    if (this.payment(provider, id) !== null)
      throw new SandboxRefusal('exists', 'id', `id: was "${id}", which is a payment already`);
    const orderId = wanted.order_id ?? (provider === 'shopify' ? id : this.#draw.upper(`${name}/order`, 17));
    const payment: Payment = {
      provider,
      account,
      id,
      orderId,
      minor,
      currency,
      createdAt: this.#clock.now(),
      refunds: [],
      isReversed: false,
    };
    this.#payments.set(`${provider}:${id}`, payment);
    return payment;
  }

  /** Refunds a payment. Throws {@link SandboxRefusal} where that much is not left. */
  refundPayment(payment: Payment, wanted: RefundWanted): Refund {
    const left = payment.minor - refundedMinor(payment);
    if (left === 0n || payment.isReversed)
      throw new SandboxRefusal('fully_refunded', 'amount', `payment ${payment.id} has nothing left to refund`);
    const minor = wanted.minor ?? left;
    if (minor > left)
      throw new SandboxRefusal('exceeds', 'amount', `the amount is more than is left of payment ${payment.id}`);
    const { provider, account } = payment;
    const id = refundIdOf(
      this.#draw,
      provider,
      payment.id,
      `refund/${provider}/${payment.id}/${payment.refunds.length}`,
    );
    const course = refundCourse(this.#draw, this.#ruleFor(payment, minor, wanted, id), id);
    const now = this.#clock.now();
    const [first, ...rest] = course.states;
    const isAtOnce = first?.afterMs === 0;
    const refund: Refund = {
      provider,
      account,
      id,
      payment,
      minor,
      createdAt: now,
      visibleAt: now + course.visibleAfterMs,
      key: wanted.key,
      by: wanted.by,
      details: wanted.details,
      state: isAtOnce ? first.state : 'pending',
      updatedAt: now,
      version: 1,
    };
    payment.refunds.push(refund);
    this.#refunds.set(`${provider}:${id}`, refund);
    this.#changed({ kind: 'refund_created', refund, at: now });
    for (const { afterMs, state } of isAtOnce ? rest : course.states)
      this.#agenda.at(now + afterMs, () => this.change(refund, state));
    return refund;
  }

  /** Moves a refund on. Into the state that it has: nothing happens. */
  change(refund: Refund, state: RefundState): void {
    if (refund.state === state) return;
    const at = this.#clock.now();
    refund.state = state;
    refund.updatedAt = at;
    refund.version += 1;
    this.#changed({ kind: 'refund_changed', refund, at });
  }

  /** The provider takes the payment back, or its payer disputes it. */
  reverse(payment: Payment): void {
    if (payment.isReversed) return;
    payment.isReversed = true;
    this.#changed({ kind: 'payment_reversed', payment, at: this.#clock.now() });
  }

  #ruleFor(payment: Payment, minor: bigint, { key, by }: RefundWanted, id: string): RefundRule | null {
    const { provider, account, currency } = payment;
    const is = { provider, account, payment: payment.id, by, key: key ?? '' };
    return this.#rules.find(
      ({ when }) =>
        meetsAll(when, is) && (when.amount === undefined || minorOf(when.amount, currency, provider) === minor),
      id,
    );
  }
}
