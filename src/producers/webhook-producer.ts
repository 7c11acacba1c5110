import type { z } from 'zod';
import { OperatingError } from '../errors.ts';
import { instantMs, type Json, paymentKey } from '../evaluator/index.ts';
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

/** Endpoints that are remembered: a configuration has fewer. */
const KNOWN_MAX = 1_000;
const USUAL: ReadonlySet<string> = new Set(['provider', 'account', 'endpoint', 'headers', 'received_at']);

type Delivery = Omit<WebhookFields, 'rawBody'>;

/** Whether all that changes from one delivery of an endpoint to its next is what the record's schema takes. */
const isUsual = (fields: Delivery): boolean => {
  for (const key in fields) if (!USUAL.has(key)) return false;
  const { provider, account, endpoint, headers, received_at: receivedAt } = fields;
  if (typeof provider !== 'string' || typeof account !== 'string' || typeof endpoint !== 'string') return false;
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return false;
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return typeof receivedAt === 'string' && instantMs(receivedAt) !== null;
};

/**
 * The record, checked as it stands: its fields are flat and a body is text already, so nothing is printed to be read again. What
 * an endpoint's first delivery has shown to be right is not asked again: the schema was a quarter of the gateway's own work.
 */
const createCheck = (): ((fields: Delivery, bytes: Uint8Array) => WebhookReceived) => {
  const known = new Set<string>();
  return (fields, bytes) => {
    const record = { kind: 'webhook.received', ...fields, ...rawBody(bytes) } as const;
    if (bytes.length > SMALL_BYTES_MAX) return recordOf('webhook.received', record);
    const whose = `${fields.provider}\n${fields.account}\n${fields.endpoint}`;
    if (known.has(whose) && isUsual(fields)) return record as unknown as WebhookReceived;
    const parsed = parseInputRecord(record as unknown as Json, 'webhook-received');
    if (!parsed.ok) throw new OperatingError(parsed.code, parsed.reason, { context: { field: parsed.field } });
    if (known.size < KNOWN_MAX) known.add(whose);
    return parsed.record as WebhookReceived;
  };
};

/** Throws RECORD_MALFORMED that names the field; BROKER_UNAVAILABLE is retryable: answer the provider with 5xx then. */
export const createWebhookProducer = (options: ProducerOptions): WebhookProducer => {
  const checked = createCheck();
  return {
    received: async ({ rawBody: bytes, ...fields }, { paymentId, ...send } = {}) => {
      const record = checked(fields, bytes);
      const { provider, account } = record;
      const key = paymentId === undefined ? null : paymentKey({ provider, account, paymentId });
      return await publish(options, record, key, send);
    },
  };
};
