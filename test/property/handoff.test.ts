import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HandoffDecided } from '../../src/evaluator/index.ts';
import { chargeReceipt, HandoffLog, request, stripeEvent } from '../support/handoff.ts';

const NOON = Date.parse('2026-09-01T12:00:00Z');
const CHARGED = 5000;
const MINUTE = 60_000;

/** One thing that happens, a few seconds after the one before. */
type Step =
  | { readonly kind: 'ask'; readonly amount: number; readonly authority: number }
  | { readonly kind: 'again'; readonly which: number }
  | { readonly kind: 'start'; readonly which: number }
  | { readonly kind: 'drift'; readonly which: number; readonly how: 'amount' | 'zero' | 'key' }
  | { readonly kind: 'late'; readonly which: number }
  | { readonly kind: 'settle'; readonly which: number; readonly status: 'succeeded' | 'failed' | 'pending' }
  | { readonly kind: 'outside'; readonly amount: number }
  | { readonly kind: 'wait'; readonly minutes: number };

const which = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      amount: fc.integer({ min: 1, max: 3000 }),
      authority: fc.nat({ max: 12 }),
    }),
  },
  fc.record({ kind: fc.constant('again' as const), which }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('drift' as const),
      which,
      how: fc.constantFrom('amount' as const, 'zero' as const, 'key' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('late' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which,
      status: fc.constantFrom('succeeded' as const, 'failed' as const, 'pending' as const),
    }),
  },
  fc.record({ kind: fc.constant('outside' as const), amount: fc.integer({ min: 1, max: 800 }) }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
);

/** What the model knows of a plan: the pipeline's own words are held against it. */
interface Plan {
  readonly decided: HandoffDecided;
  readonly amount: number;
  readonly heldUntil: number;
  refund: 'none' | 'started' | 'succeeded' | 'failed' | 'pending';
}

class Model {
  readonly log = new HandoffLog();
  readonly plans: Plan[] = [];
  readonly asked: object[] = [];
  readonly authorities = new Map<number, string>();
  outside = 0;
  now = NOON;
  #refunds = 0;
  #drifts = 0;
  readonly #late = new Set<string>();
  readonly #reasons = new Map<string, string>();

  constructor() {
    this.log.apply(chargeReceipt({ amount: String(CHARGED) }));
  }

  /** What is promised or gone, by the model alone. */
  spent(): number {
    const open = this.plans.filter(({ decided, refund, heldUntil }) =>
      refund === 'none' ? heldUntil >= this.now : refund !== 'failed' && !this.isToldLate(decided),
    );
    return this.outside + open.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** What plans that ended unbegun would take if their calls were made after all. */
  #unbegun(): number {
    const ended = this.plans.filter(({ refund, heldUntil }) => refund === 'none' && heldUntil < this.now);
    return ended.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Whether its operation came late and was told so, or that another one had the plan before. */
  isToldLate({ handoff_id: id }: HandoffDecided): boolean {
    const reason = this.#reasons.get(id) ?? '';
    return this.#late.has(id) && ['handoff_expired', 'handoff_used'].includes(reason);
  }

  /** Has records applied and keeps the last word on each operation. */
  #apply(...records: readonly object[]): readonly HandoffDecided[] {
    const { verdicts, handoffs } = this.log.apply(...records);
    for (const { operation_id: id, reason } of verdicts) this.#reasons.set(id, reason);
    return handoffs;
  }

  run(one: Step): void {
    this.now += 7_000;
    const at = new Date(this.now).toISOString();
    switch (one.kind) {
      case 'ask':
        this.#ask(request({ amount: String(one.amount), requested_at: at }, { id: `a-${one.authority}` }), one);
        break;
      case 'again': {
        const before = this.asked[one.which % Math.max(1, this.asked.length)];
        // A plan that was granted is never answered anew; what was refused may be granted now.
        if (before === undefined) break;
        for (const decided of this.#apply({ ...before, requested_at: at })) this.#take(decided);
        break;
      }
      case 'start':
        this.#start(this.plans[one.which], at);
        break;
      case 'drift':
        this.#drift(this.plans[one.which % Math.max(1, this.plans.length)], one.how, at);
        break;
      case 'late':
        this.#startLate(this.plans[one.which % Math.max(1, this.plans.length)]);
        break;
      case 'settle':
        this.#settle(this.plans[one.which], one.status, at);
        break;
      case 'outside':
        this.#refunds += 1;
        // Nobody asks a provider for more than the charge has left: it would not give it. What the late call of an ended plan may have
        // taken is gone there too, and a start tells of it later.
        if (this.spent() + this.#unbegun() + one.amount > CHARGED) break;
        this.outside += one.amount;
        this.#apply(stripeEvent(`re_out_${this.#refunds}`, one.amount * 100, 'succeeded', { received_at: at }));
        break;
      case 'wait':
        this.now += one.minutes * MINUTE;
    }
  }

  #ask(record: object, { amount }: Extract<Step, { kind: 'ask' }>): void {
    this.asked.push(record);
    const room = CHARGED - this.spent();
    for (const decided of this.#apply(record)) {
      if (decided.decision === 'planned') expect(amount).toBeLessThanOrEqual(room);
      this.#take(decided);
    }
  }

  #take(decided: HandoffDecided): void {
    const { plan } = decided;
    if (plan === null) return;
    this.plans.push({
      decided,
      amount: Number(plan.refund.amount),
      heldUntil: Date.parse(plan.hold_until),
      refund: 'none',
    });
  }

  #start(plan: Plan | undefined, at: string): void {
    if (plan === undefined || plan.refund !== 'none' || plan.heldUntil < this.now) return;
    plan.refund = 'started';
    this.#apply({ ...plan.decided.operation, created_at: at });
  }

  /** A start that says it began in time, and comes when its plan's hold has ended and its grace too. */
  #startLate(plan: Plan | undefined): void {
    if (plan === undefined || plan.refund !== 'none' || plan.heldUntil + 2 * MINUTE >= this.now) return;
    plan.refund = 'started';
    this.#late.add(plan.decided.handoff_id);
    const created_at = new Date(plan.heldUntil - 1000).toISOString();
    this.#apply({ ...plan.decided.operation, created_at });
  }

  /** Names a plan and does otherwise: the plan's own call may still be made, so that the model's hold goes on. */
  #drift(plan: Plan | undefined, how: 'amount' | 'zero' | 'key', at: string): void {
    const operation = plan?.decided.operation;
    if (operation == null) return;
    this.#drifts += 1;
    const amount = { amount: 1, zero: 0, key: 1 }[how];
    this.#apply({
      ...operation,
      operation_id: `drift-${this.#drifts}`,
      idempotency_key: how === 'key' ? `other-${this.#drifts}` : operation.idempotency_key,
      input: { ...(operation.input as object), amount },
      created_at: at,
    });
  }

  #settle(plan: Plan | undefined, status: 'succeeded' | 'failed' | 'pending', at: string): void {
    if (plan === undefined || plan.refund === 'none' || plan.refund === 'succeeded' || plan.refund === 'failed') return;
    plan.refund = status;
    const id = `re_${plan.decided.handoff_id}`;
    const created = Math.floor(this.now / 1000);
    const refund = {
      id,
      object: 'refund',
      amount: plan.amount * 100,
      charge: 'ch_1',
      currency: 'aud',
      status,
      created,
    };
    const where = { operation_id: plan.decided.handoff_id, provider: 'stripe', account: 'shop-1', payment_id: 'ch_1' };
    this.#apply(
      { kind: 'operation.acted', ...where, action: { result: refund, completed_at: at } },
      stripeEvent(id, plan.amount * 100, status, {
        received_at: at,
        body: JSON.stringify({
          id: `evt_${id}_${status}`,
          object: 'event',
          type: 'refund.updated',
          created,
          data: { object: refund },
        }),
      }),
    );
  }
}

describe('plans', () => {
  it('and what was given back never come to more than the charge, whatever is planned, begun, failed and waited for', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), (steps) => {
        const model = new Model();
        for (const one of steps) {
          model.run(one);
          expect(model.spent()).toBeLessThanOrEqual(CHARGED);
        }
        // An authority is good once.
        const used = model.plans.map(({ decided }) => decided.authority_key);
        expect(new Set(used).size).toBe(used.length);
      }),
      { numRuns: 200 },
    );
  }, 120_000);

  it('are the same for the same log, and digest and key are bound to all that is asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 4000 }), (amount, other) => {
        const planOf = (asked: number, over: object = {}): HandoffDecided => {
          const log = new HandoffLog();
          log.apply(chargeReceipt());
          return log.ask(request({ amount: String(asked), ...over }));
        };
        const first = planOf(amount);
        expect(planOf(amount)).toEqual(first);
        const drifted = [planOf(amount, { reason: 'another' }), ...(amount === other ? [] : [planOf(other)])];
        for (const drift of drifted) {
          expect(drift.plan_digest).not.toBe(first.plan_digest);
          expect(drift.plan?.idempotency_key).not.toBe(first.plan?.idempotency_key);
          expect(drift.handoff_id).not.toBe(first.handoff_id);
        }
      }),
      { numRuns: 25 },
    );
  });
});
