import type { JsonObject } from '../../evaluator/index.ts';
import type { Draw } from '../draw.ts';
import type { Change, Refund } from '../model.ts';
import type { NewEvent } from '../stand.ts';
import { reversalOf, wholeRefund } from './forms.ts';

const eventOf = (
  draw: Draw,
  type: string,
  about: string,
  at: number,
  resource: JsonObject,
  summary: string,
  address: string,
): NewEvent => {
  const name = `event/paypal/${about}/${type}`;
  const id = `WH-${draw.upper(name, 17)}-${draw.upper(`${name}/2`, 17)}`;
  const self = `${address}/v1/notifications/webhooks-events/${id}`;
  const body = {
    id,
    event_version: '1.0',
    create_time: new Date(at).toISOString(),
    resource_type: 'refund',
    resource_version: '2.0',
    event_type: type,
    summary,
    resource,
    links: [
      { href: self, rel: 'self', method: 'GET' },
      { href: `${self}/resend`, rel: 'resend', method: 'POST' },
    ],
  };
  return { id, type, body };
};

const typeOf = ({ state }: Refund): string | null => {
  switch (state) {
    case 'completed':
      return 'PAYMENT.CAPTURE.REFUNDED';
    case 'pending':
      return 'PAYMENT.REFUND.PENDING';
    case 'failed':
      return 'PAYMENT.REFUND.FAILED';
    // No event of PayPal's tells of it.
    case 'cancelled':
      return null;
  }
};

/** What PayPal's webhooks tell of a change. There is no event of a refund's creation: its state has one. */
export const paypalEvents = (change: Change, draw: Draw, address: string): readonly NewEvent[] => {
  if (change.kind === 'payment_reversed') {
    const { payment, at } = change;
    const id = draw.upper(`reversal/paypal/${payment.id}`, 17);
    const resource = reversalOf(payment, id, at, address);
    const summary = 'A capture payment was reversed';
    return [eventOf(draw, 'PAYMENT.CAPTURE.REVERSED', payment.id, at, resource, summary, address)];
  }
  const { refund, at } = change;
  const type = typeOf(refund);
  if (type === null) return [];
  const summary =
    type === 'PAYMENT.CAPTURE.REFUNDED' ? 'A capture payment was refunded' : `A refund is ${refund.state}`;
  return [eventOf(draw, type, `${refund.id}/${refund.version}`, at, wholeRefund(refund, address), summary, address)];
};
