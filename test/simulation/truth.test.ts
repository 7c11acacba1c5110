import { expect, it } from 'vitest';
import { Evidence } from './evidence.ts';
import type { About, Delivered, Item } from './item.ts';
import type { Run } from './run.ts';
import { isUnexplained } from './truth.ts';
import type { TrueOperation, TruePayment, TrueRefund, World } from './world.ts';

const MINUTE_MS = 60_000;
const MADE_AT = Date.parse('2026-09-01T12:00:00.000Z');
const STARTED_AT = MADE_AT + 16 * MINUTE_MS;

const money = { minor: 500n, currency: 'USD' };
const payment: TruePayment = {
  provider: 'stripe',
  account: 'merchant-1',
  id: 'ch_1',
  currency: 'USD',
  orderId: null,
  skewMs: 0,
  refunds: [],
  reversals: [],
  operations: [],
};

const operationOf = (id: string): TrueOperation => ({
  id,
  payment,
  contract: 'stripe.refund.succeeded',
  version: null,
  createdAt: MADE_AT - 1000,
  money,
  intentRef: null,
  customId: null,
  answers: [],
  retryOf: null,
  story: 'equal partials',
});

const refundOf = (id: string, madeBy: string): TrueRefund => ({
  id,
  payment,
  money,
  madeBy,
  changes: [{ at: MADE_AT, standing: 'complete' }],
  splitMs: 0,
  echo: null,
});

const told = (at: number, about: About): Delivered => ({ at, item: { about, at } as Item });

it('leaves an operation unexplained up to the very instant at which it starts, and no longer', () => {
  const [one, other] = [operationOf('op-1'), operationOf('op-2')];
  payment.operations.push(one, other);
  payment.refunds.push(refundOf('re_1', 'op-1'), refundOf('re_2', 'op-2'));
  const world: World = { payments: [payment], startsAt: MADE_AT, endsAt: MADE_AT + 86_400_000 };
  const delivered = [
    told(MADE_AT + MINUTE_MS, { kind: 'event', facts: [{ refundId: 're_2', standing: 'complete' }] }),
    told(STARTED_AT, { kind: 'started', operationId: 'op-1' }),
    told(STARTED_AT, { kind: 'started', operationId: 'op-2' }),
  ];
  const evidence = new Evidence({ world, delivered } as unknown as Run);
  const at = (instant: number): boolean => isUnexplained(evidence, world, one, instant, 2 * MINUTE_MS);
  expect(at(MADE_AT + 2 * MINUTE_MS)).toBe(false);
  expect(at(STARTED_AT - 1)).toBe(true);
  expect(at(STARTED_AT)).toBe(true);
  expect(at(STARTED_AT + 1)).toBe(false);
});
