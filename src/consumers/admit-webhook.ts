import type { EventObservation, JsonObject, RefundFacts } from '../evaluator/index.ts';
import { isJsonObject } from '../evaluator/index.ts';
import { instantMs } from '../evaluator/instant.ts';
import type { ProviderEvent } from '../providers/adapter.ts';
import { shown } from '../providers/adapter.ts';
import type { Endpoint, RawBody } from '../providers/index.ts';
import { PROVIDERS } from '../providers/index.ts';
import { own } from '../providers/own.ts';
import { JsonTextError, parseJsonText } from '../records/json-text.ts';
import type { WebhookReceived } from '../records/records.ts';
import type { AdmissionRules, Admitted, RecordContext } from './admission.ts';
import { keyDigest, sha256 } from './digest.ts';

type Refused = Extract<Admitted, { outcome: 'refused' }>;

const refuse = (code: Refused['code'], reason: string): Refused => ({ outcome: 'refused', code, reason });

const rawBody = (record: WebhookReceived): RawBody => record.body ?? Buffer.from(record.body_base64 ?? '', 'base64');

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Parsed = { readonly outcome: 'parsed'; readonly body: JsonObject } | Refused;

const parseBody = (raw: RawBody): Parsed => {
  try {
    const body = parseJsonText(typeof raw === 'string' ? raw : utf8.decode(raw));
    return isJsonObject(body)
      ? { outcome: 'parsed', body }
      : refuse('EVENT_MALFORMED', 'body: should be a JSON object');
  } catch (error) {
    const why = error instanceof JsonTextError ? error.message : 'its bytes are not UTF-8';
    return refuse('EVENT_MALFORMED', `body: ${why}`);
  }
};

/** Whether the delivery is the provider's; null if so. */
const refuseForged = (
  rules: AdmissionRules,
  record: WebhookReceived,
  endpoint: Endpoint | null,
  raw: RawBody,
): Refused | null => {
  if (rules.trustGateway) return null;
  if (endpoint === null) {
    const name = `${record.provider}/${record.account}/${record.endpoint}`;
    return refuse('ENDPOINT_UNKNOWN', `endpoint: ${name} is not configured; give its secrets, or trust the gateway`);
  }
  const { certificates } = record;
  const answer = PROVIDERS[record.provider].authenticate(
    {
      raw,
      headers: record.headers,
      receivedAt: instantMs(record.received_at) ?? 0,
      certificates: typeof certificates === 'string' ? [certificates] : (certificates ?? []),
    },
    endpoint,
    rules.testMode,
  );
  return answer.outcome === 'authentic' ? null : answer;
};

/** What is wrong with the tenant; null if nothing. */
const mismatchOf = (record: WebhookReceived, body: JsonObject, endpoint: Endpoint | null): string | null => {
  if (endpoint === null) return null;
  if (endpoint.accountField !== null) {
    const account = own(body, endpoint.accountField);
    if (account !== record.account) {
      return `${endpoint.accountField}: was ${shown(account)}, should be the record's account ${shown(record.account)}`;
    }
  }
  return PROVIDERS[record.provider].tenantMismatch(body, record.headers, endpoint);
};

/**
 * What makes two deliveries one: (provider, account, event id, type, refund id, status). The event id alone is not enough:
 * Square's created and updated may share one, and one Shopify Event-Id can carry two refunds. Where it is blank, the body.
 */
const dedupeKeyOf = (
  record: WebhookReceived,
  event: ProviderEvent,
  facts: RefundFacts | null,
  digest: string,
): string =>
  keyDigest([
    record.provider,
    record.account,
    event.eventId === '' ? `body ${digest}` : event.eventId,
    event.type,
    facts?.refundId ?? null,
    facts?.status ?? null,
  ]);

const observationOf = (
  record: WebhookReceived,
  event: ProviderEvent,
  facts: RefundFacts | null,
  digest: string,
  context: RecordContext,
): EventObservation => ({
  kind: 'event',
  at: instantMs(record.received_at) ?? 0,
  source: context.source,
  dedupeKey: dedupeKeyOf(record, event, facts, digest),
  eventId: event.eventId,
  type: event.type,
  role: event.role,
  facts,
  occurredAt: event.occurredAt,
  sha256: digest,
});

/** A provider's event: authentic, of the right tenant, routed on its type to the payment that it names. */
export const admitWebhook = (rules: AdmissionRules, record: WebhookReceived, context: RecordContext): Admitted => {
  const raw = rawBody(record);
  const endpoint = rules.endpointOf(record.provider, record.account, record.endpoint);
  const forged = refuseForged(rules, record, endpoint, raw);
  if (forged !== null) return forged;
  const parsed = parseBody(raw);
  if (parsed.outcome === 'refused') return parsed;
  const mismatch = mismatchOf(record, parsed.body, endpoint);
  if (mismatch !== null) return refuse('ACCOUNT_MISMATCH', mismatch);
  const event = PROVIDERS[record.provider].event(parsed.body, record.headers);
  if (event.outcome !== 'event') return event;
  if (event.paymentId === null) {
    if (event.role === 'other') return { outcome: 'ignored', reason: `${event.type}: names no payment` };
    return refuse('EVENT_UNROUTABLE', `${event.type}: the body names no ${PROVIDERS[record.provider].paymentField}`);
  }
  const digest = sha256(raw);
  const facts = event.facts.length > 0 ? event.facts : [null];
  return {
    outcome: 'admitted',
    ref: { provider: record.provider, account: record.account, paymentId: event.paymentId },
    observations: facts.map((one) => observationOf(record, event, one, digest, context)),
  };
};
