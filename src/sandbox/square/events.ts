import type { JsonObject } from '../../evaluator/index.ts';
import type { AccountOf } from '../account.ts';
import type { Draw } from '../draw.ts';
import type { Change } from '../model.ts';
import type { NewEvent } from '../stand.ts';
import { refundOf } from './forms.ts';

/** What Square's webhooks tell of a change. The refund in a webhook has a version, which the API's has not. */
export const squareEvents = (change: Change, account: AccountOf<'square'>, draw: Draw): readonly NewEvent[] => {
  const created_at = new Date(change.at).toISOString();
  const eventOf = (type: string, about: string, data: JsonObject): NewEvent => {
    const id = draw.uuid(`event/square/${about}/${type}`);
    return { id, type, body: { merchant_id: account.merchantId, type, event_id: id, created_at, data } };
  };
  if (change.kind === 'payment_reversed') {
    const { payment } = change;
    const id = draw.mixed(`dispute/square/${payment.id}`, 22);
    const dispute = {
      id,
      reason: 'NOT_AS_DESCRIBED',
      state: 'EVIDENCE_REQUIRED',
      disputed_payment: { payment_id: payment.id },
      created_at,
    };
    return [eventOf('dispute.created', payment.id, { type: 'dispute', id, object: { dispute } })];
  }
  const { refund, kind } = change;
  const type = kind === 'refund_created' ? 'refund.created' : 'refund.updated';
  const object = { refund: { ...refundOf(refund), version: refund.version } };
  return [eventOf(type, `${refund.id}/${refund.version}`, { type: 'refund', id: refund.id, object })];
};
