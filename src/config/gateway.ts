import { z } from 'zod';
import { setting } from './setting.ts';
import { milliseconds } from './types.ts';

/** What an API key may do. */
export const API_SCOPES = [
  'operations:write',
  'operations:read',
  'records:write',
  'handoffs:write',
  'handoffs:read',
] as const;

const A_HASH = 'sha256:<salt>:<digest>, as `countersign api-key` prints it';
const AN_ACCOUNT = 'provider:account, e.g. paypal:merchant-1';

const apiKey = z.strictObject({
  /** stands in the key itself, in logs and in errors */
  id: z.string().regex(/^[A-Za-z0-9.-]{1,64}$/, 'letters, digits, "." and "-", at most 64'),
  hash: z.string(A_HASH).regex(/^sha256:[0-9a-f]{32,128}:[0-9a-f]{64}$/, A_HASH),
  scopes: z.array(z.enum(API_SCOPES, `of ${API_SCOPES.join(', ')}`)).min(1, 'at least one scope'),
  /** the accounts it may speak of; without: all */
  accounts: z.array(z.string().regex(/^[a-z]+:[A-Za-z0-9._-]{1,128}$/, AN_ACCOUNT), AN_ACCOUNT).optional(),
});

/** An API key as the configuration states it: its hash, never the key. */
export type ApiKeyConfig = z.output<typeof apiKey>;

/** The edges that HTTP comes in by: webhooks and the operations API. */
export const gatewaySection = z
  .strictObject({
    body_bytes: setting(z.int().min(1_024).max(16_777_216).default(524_288), {
      env: 'COUNTERSIGN_GATEWAY_BODY_BYTES',
      wants: 'bytes, from 1024 to 16777216',
      doc: 'A larger request body is answered 413. Escaped into a record it must stay below `limits.record_bytes`.',
    }),
    header_bytes: setting(z.int().min(2_048).max(131_072).default(16_384), {
      env: 'COUNTERSIGN_GATEWAY_HEADER_BYTES',
      wants: 'bytes, from 2048 to 131072',
      doc: 'All headers of a request together; more is answered 431.',
    }),
    connections: setting(z.int().min(1).max(100_000).default(2_000), {
      env: 'COUNTERSIGN_GATEWAY_CONNECTIONS',
      wants: 'a whole number from 1 to 100000',
      doc: 'Connections held open at once; further ones are dropped.',
    }),
    request_timeout_ms: setting(milliseconds(100).default(10_000), {
      env: 'COUNTERSIGN_GATEWAY_REQUEST_TIMEOUT_MS',
      wants: 'milliseconds, at least 100',
      doc: 'For a client to send its whole request; past it 408.',
    }),
    publish_timeout_ms: setting(milliseconds(10).default(7_000), {
      env: 'COUNTERSIGN_GATEWAY_PUBLISH_TIMEOUT_MS',
      wants: 'milliseconds, at least 10',
      doc: 'How long Kafka may take; past it 503, so that the provider sends again. Square waits 10 s for an answer.',
    }),
    waiting_max: setting(z.int().min(1).max(1_000_000).default(5_000), {
      env: 'COUNTERSIGN_GATEWAY_WAITING_MAX',
      wants: 'a whole number from 1 to 1000000',
      doc: 'Requests that may wait for Kafka at once; further ones are answered 503.',
    }),
    rate_per_second: setting(z.number().positive().max(1_000_000).default(5_000), {
      env: 'COUNTERSIGN_GATEWAY_RATE_PER_SECOND',
      wants: 'requests a second, more than 0',
      doc: 'What one webhook endpoint takes in the long run; above it 429.',
    }),
    burst: setting(z.int().min(1).max(1_000_000).default(10_000), {
      env: 'COUNTERSIGN_GATEWAY_BURST',
      wants: 'a whole number from 1 to 1000000',
      doc: 'What one webhook endpoint takes at once before the rate counts.',
    }),
    retry_after_s: setting(z.int().min(1).max(3_600).default(30), {
      env: 'COUNTERSIGN_GATEWAY_RETRY_AFTER_S',
      wants: 'seconds, from 1 to 3600',
      doc: 'The `Retry-After` of a 503.',
    }),
    certificate_timeout_ms: setting(milliseconds(10).default(3_000), {
      env: 'COUNTERSIGN_GATEWAY_CERTIFICATE_TIMEOUT_MS',
      wants: 'milliseconds, at least 10',
      doc: "For fetching a PayPal certificate. With publish_timeout_ms it must stay below the provider's patience.",
    }),
    certificate_ttl_ms: setting(milliseconds(1_000).default(86_400_000), {
      env: 'COUNTERSIGN_GATEWAY_CERTIFICATE_TTL_MS',
      wants: 'milliseconds, at least 1000',
      doc: 'How long a fetched certificate is used before it is fetched again.',
    }),
    paypal_postback: setting(z.boolean().default(false), {
      env: 'COUNTERSIGN_GATEWAY_PAYPAL_POSTBACK',
      wants: 'true or false',
      doc: 'Ask PayPal itself about an event whose certificate cannot be had, as the account of `accounts`. Processors cannot repeat that: they need `--trust-gateway`, and so `seals.mode: required`.',
    }),
    api_keys: setting(z.array(apiKey).default([]), {
      env: 'COUNTERSIGN_GATEWAY_API_KEYS',
      wants: 'a list of { id, hash, scopes, accounts? } (in the environment: as JSON)',
      doc: 'Who may use the operations API, by the hashes of their keys; `countersign api-key` makes them.',
      secret: true,
    }),
  })
  .prefault({});
