import { paymentKey } from '../evaluator/index.ts';
import type { InputRecord, OperationStarted, WebhookReceived } from './records.ts';
import { describeValue, type Refusal } from './refusal.ts';

/** The verdict record's key, `<payment key>/<operation id>`. Nothing is parsed back out of it. */
export const verdictKey = (ofPayment: string, operationId: string): string => `${ofPayment}/${operationId}`;

/** The payment key of a record that names its payment itself; a start names it in its contract's input, an event in its body. */
export const paymentKeyOf = (record: Exclude<InputRecord, OperationStarted | WebhookReceived>): string =>
  paymentKey({ provider: record.provider, account: record.account, paymentId: record.payment_id });

/**
 * Holds a record's Kafka key against the payment key that its content gives. No key is no mismatch (the record is sent on to
 * its right partition), and a webhook's key may be anything: a gateway need not know what an event is about.
 */
export const checkRecordKey = (
  kind: InputRecord['kind'],
  ofPayment: string,
  kafkaKey: string | null,
): Refusal | null => {
  if (kafkaKey === null || kafkaKey === ofPayment || kind === 'webhook.received') return null;
  const reason = `key was ${describeValue('key', kafkaKey)}, should be ${describeValue('key', ofPayment)}, which the ${kind} record names`;
  return { ok: false, code: 'RECORD_KEY_MISMATCH', reason, field: 'key' };
};
