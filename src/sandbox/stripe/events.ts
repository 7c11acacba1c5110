import type { JsonObject } from '../../evaluator/index.ts';
import type { Draw } from '../draw.ts';
import type { Change, Refund } from '../model.ts';
import type { NewEvent } from '../stand.ts';
import { chargeOf, refundOf } from './forms.ts';

/** What a refund's change is told by: `refund.*` for all since 2024-10-28, `charge.*` as ever. */
const typesOf = (kind: 'refund_created' | 'refund_changed', { state }: Refund): readonly string[] => {
  if (kind === 'refund_created') return ['refund.created', 'charge.refunded'];
  return state === 'failed' ? ['refund.failed', 'charge.refund.updated'] : ['refund.updated'];
};

export const stripeEvents = (change: Change, draw: Draw): readonly NewEvent[] => {
  const eventOf = (type: string, about: string, object: JsonObject, key: string | null): NewEvent => {
    const id = `evt_3${draw.mixed(`event/stripe/${about}/${type}`, 23)}`;
    const request = {
      id: key === null ? null : `req_${draw.mixed(`request/stripe/${about}`, 14)}`,
      idempotency_key: key,
    };
    const body = {
      id,
      object: 'event',
      api_version: '2025-04-30.basil',
      created: Math.floor(change.at / 1000),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request,
      type,
    };
    return { id, type, body };
  };
  if (change.kind === 'payment_reversed') {
    const { payment } = change;
    const { id: charge, amount, currency } = chargeOf(payment);
    const id = `du_${draw.mixed(`dispute/stripe/${payment.id}`, 24)}`;
    const dispute = { id, object: 'dispute', amount: amount ?? 0, charge: charge ?? '', currency: currency ?? '' };
    return [
      eventOf('charge.dispute.created', payment.id, { ...dispute, reason: 'general', status: 'needs_response' }, null),
    ];
  }
  const { refund, kind } = change;
  const about = `${refund.id}/${refund.version}`;
  return typesOf(kind, refund).map((type) => {
    const object = type === 'charge.refunded' ? chargeOf(refund.payment) : refundOf(refund);
    return eventOf(type, about, object, kind === 'refund_created' ? refund.key : null);
  });
};
