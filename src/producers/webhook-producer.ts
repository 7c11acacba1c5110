import type { z } from 'zod';
import { OperatingError } from '../errors.ts';
import { type Json, paymentKey } from '../evaluator/index.ts';
import { parseInputRecord, rawBody, type WebhookReceived, type webhookReceived } from '../records/index.ts';
import { type ProducerOptions, type Published, publish, recordOf, type SendOptions } from './outgoing.ts';

/** `rawBody` is the body as it came over the wire: signatures are made over its bytes, so nothing may be parsed or printed anew. */
export type WebhookFields = Omit<z.input<typeof webhookReceived>, 'kind' | 'body' | 'body_base64'> & {
  readonly rawBody: Uint8Array;
};

export interface WebhookOptions extends SendOptions {
  /** the payment that the event is about, where the gateway can tell; without it the consumer finds out and re-keys */
  readonly paymentId?: string | undefined;
}

/** What a webhook gateway publishes. */
export interface WebhookProducer {
  received(fields: WebhookFields, options?: WebhookOptions): Promise<Published>;
}

/** A larger one is held against the bound of what is read, with all that goes with it. */
const SMALL_BYTES_MAX = 1024 * 1024;

/** The record, checked as it stands: its fields are flat and a body is text already, so nothing is printed to be read again. */
const checked = (fields: Omit<WebhookFields, 'rawBody'>, bytes: Uint8Array): WebhookReceived => {
  const record = { kind: 'webhook.received', ...fields, ...rawBody(bytes) } as const;
  if (bytes.length > SMALL_BYTES_MAX) return recordOf('webhook.received', record);
  const parsed = parseInputRecord(record as unknown as Json, 'webhook-received');
  if (!parsed.ok) throw new OperatingError(parsed.code, parsed.reason, { context: { field: parsed.field } });
  return parsed.record as WebhookReceived;
};

/** Throws RECORD_MALFORMED that names the field; BROKER_UNAVAILABLE is retryable: answer the provider with 5xx then. */
export const createWebhookProducer = (options: ProducerOptions): WebhookProducer => ({
  received: async ({ rawBody: bytes, ...fields }, { paymentId, ...send } = {}) => {
    const record = checked(fields, bytes);
    const { provider, account } = record;
    const key = paymentId === undefined ? null : paymentKey({ provider, account, paymentId });
    return await publish(options, record, key, send);
  },
});
