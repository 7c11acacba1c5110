import type { z } from 'zod';
import { paymentKey } from '../evaluator/index.ts';
import { rawBody, type webhookReceived } from '../records/index.ts';
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

/** Throws RECORD_MALFORMED that names the field; BROKER_UNAVAILABLE is retryable: answer the provider with 5xx then. */
export const createWebhookProducer = (options: ProducerOptions): WebhookProducer => ({
  received: async ({ rawBody: bytes, ...fields }, { paymentId, ...send } = {}) => {
    const record = recordOf('webhook.received', { ...fields, ...rawBody(bytes) });
    const { provider, account } = record;
    const key = paymentId === undefined ? null : paymentKey({ provider, account, paymentId });
    return await publish(options, record, key, send);
  },
});
