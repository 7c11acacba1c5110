import type { Agenda } from './agenda.ts';
import type { RefundState } from './model.ts';
import { minorOf } from './money.ts';
import type { Scenario } from './scenario-schema.ts';
import { SandboxRefusal, type World } from './world.ts';

type ScheduledEvent = Scenario['events'][number];

const STATES: Readonly<Record<'complete' | 'fail' | 'cancel', RefundState>> = {
  complete: 'completed',
  fail: 'failed',
  cancel: 'cancelled',
};

const perform = (event: ScheduledEvent, world: World): void => {
  const payment = world.payment(event.provider, event.payment);
  if (payment?.account !== event.account)
    throw new SandboxRefusal(
      'unknown',
      'payment',
      `there is no payment ${event.payment} of ${event.provider}:${event.account}`,
    );
  switch (event.do) {
    case 'refund': {
      const minor = event.amount === undefined ? null : minorOf(event.amount, payment.currency, event.provider);
      world.refundPayment(payment, { minor, key: null, by: 'dashboard', details: {} });
      return;
    }
    case 'reverse':
      world.reverse(payment);
      return;
    default: {
      const refund = payment.refunds[event.nth - 1];
      if (refund === undefined)
        throw new SandboxRefusal('unknown', 'nth', `payment ${event.payment} has ${payment.refunds.length} refunds`);
      world.change(refund, STATES[event.do]);
    }
  }
};

/** Puts a scenario's events on the agenda. One that cannot be done when its time comes (no such payment yet) is told. */
export const scheduleEvents = (
  scenario: Scenario,
  world: World,
  agenda: Agenda,
  startedAt: number,
  refused: (message: string) => void,
): void => {
  for (const [index, event] of scenario.events.entries()) {
    agenda.at(startedAt + event.at, () => {
      try {
        perform(event, world);
      } catch (error) {
        if (!(error instanceof SandboxRefusal)) throw error;
        refused(`events[${index}] (${event.do}) cannot be done: ${error.message}`);
      }
    });
  }
};
