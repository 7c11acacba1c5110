import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { sealKeyOf } from '../../config/seal-key.ts';
import type { ContractSet } from '../../evaluator/index.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { CertificateSource } from '../../ports/certificate-source.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HandoffLookup } from '../../ports/handoff-lookup.ts';
import type { HandoffProofs } from '../../ports/handoff-proofs.ts';
import type { OperationIndex } from '../../ports/operation-index.ts';
import type { OperationLookup } from '../../ports/operation-lookup.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { RecordSink } from '../../ports/record-sink.ts';
import { systemTimers } from '../../ports/timers.ts';
import type { Endpoint } from '../../providers/index.ts';
import { createOperationProducer } from '../operation-producer.ts';
import { createWebhookProducer } from '../webhook-producer.ts';
import { type ApiClient, createClientFinder, type FindClient } from './api-key.ts';
import type { PostbackVerifier } from './authenticate-delivery.ts';
import { createBatchedSink } from './batched-sink.ts';
import { createCertificateCache } from './certificate-cache.ts';
import { HandoffIntake } from './handoff-intake.ts';
import { handoffRoutes } from './handoff-routes.ts';
import { OperationIntake } from './operation-intake.ts';
import { operationApiRoutes } from './operation-routes.ts';
import { TokenBucket } from './token-bucket.ts';
import type { WebhookAnswer } from './webhook-receiver.ts';
import { createWebhookReceiver } from './webhook-receiver.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface GatewayEdgeOptions {
  readonly config: Config;
  readonly endpoints: readonly Endpoint[];
  readonly contracts: ContractSet;
  readonly sink: RecordSink;
  readonly encoder: RecordEncoder;
  /** what has become of operations; null: cannot be told here */
  readonly lookup: OperationLookup | null;
  /** told of the operations that come in */
  readonly index?: OperationIndex | undefined;
  /** plans refunds; left out or null: it is not done here */
  readonly handoffs?: { readonly proofs: HandoffProofs; readonly lookup: HandoffLookup } | null;
  readonly certificates: CertificateSource;
  readonly postback?: PostbackVerifier | undefined;
  /** who asks without an API key where that is allowed */
  readonly anonymous: (request: FastifyRequest) => ApiClient | null;
  /** whether `GET /v1/operations/*` is answered here; else another part of the process does */
  readonly answersReads: boolean;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly version: string;
}

/** The ways in by HTTP: webhooks, operations, and requests for a plan. */
export interface GatewayEdge {
  /** adds the routes */
  readonly routes: (server: FastifyInstance) => void;
  readonly findClient: FindClient;
  /** why records are not taken now; null when they are */
  trouble(): string | null;
  /** Finishes what is at hand. */
  close(): Promise<void>;
}

/** CloudEvents source of what comes in here. */
const SOURCE = '/countersign/gateway';
/** Nothing beside what providers wait for an answer, and many times the batches of a broker that answers in one. */
const BATCH_SPACING_MS = 5;
/** Lines a second about what was refused: who sends forged events by the thousand shall not fill the disk. */
const LINES_PER_SECOND = 5;
const LINES_BURST = 20;

const logRefusals = (logger: Logger, clock: Clock) => {
  const bucket = new TokenBucket(LINES_PER_SECOND, LINES_BURST, clock);
  let unsaid = 0;
  return (provider: string, endpoint: string, answer: Omit<WebhookAnswer, 'status'>): void => {
    const { outcome, code, reason } = answer;
    if (outcome === 'published') return;
    if (bucket.take() > 0) {
      unsaid += 1;
      return;
    }
    const line = { provider, endpoint, outcome, code, reason, ...(unsaid === 0 ? {} : { unsaid }) };
    unsaid = 0;
    logger[outcome === 'unpublished' ? 'error' : 'warn'](line, 'a webhook was not taken');
  };
};

/** The routes of requests for a plan, where they are taken. */
const handoffsOf = (
  { config, encoder, clock, metrics, handoffs, anonymous }: GatewayEdgeOptions,
  sink: RecordSink,
  findClient: FindClient,
  failed: (error: unknown) => void,
): ((server: FastifyInstance) => void) | null => {
  if (handoffs == null) return null;
  const { proofs, lookup } = handoffs;
  const { gateway, handoff, seals } = config;
  const producer = { sink, encoder, source: SOURCE, seal: sealKeyOf(seals) };
  const intake = new HandoffIntake({ producer, proofs, lookup, clock, timers: systemTimers, waitMs: handoff.wait_ms });
  return handoffRoutes({
    intake,
    lookup,
    findClient,
    anonymous,
    bodyBytesMax: gateway.body_bytes,
    retryAfterS: gateway.retry_after_s,
    answered: (route, status) => metrics.operationRequests.inc({ route, status }),
    failed,
  });
};

/** Wires the ways in to a sink. */
export const createGatewayEdge = (options: GatewayEdgeOptions): GatewayEdge => {
  const { config, contracts, encoder, lookup, clock, metrics, logger } = options;
  const { gateway, limits } = config;
  const sink = createBatchedSink({
    sink: options.sink,
    timeoutMs: gateway.publish_timeout_ms,
    waitingMax: gateway.waiting_max,
    spacingMs: BATCH_SPACING_MS,
  });
  const failed = (error: unknown): void => logger.error({ err: error }, 'a request could not be answered');
  const sayRefused = logRefusals(logger, clock);

  const receiver = createWebhookReceiver({
    endpoints: options.endpoints,
    producer: createWebhookProducer({ sink, encoder, source: SOURCE, seal: sealKeyOf(config.seals) }),
    certificates: createCertificateCache({
      source: options.certificates,
      clock,
      ttlMs: gateway.certificate_ttl_ms,
      fetched: (outcome) => metrics.certificateFetches.inc({ outcome }),
    }),
    postback: options.postback,
    testMode: config.test_mode,
    clock,
    ratePerSecond: gateway.rate_per_second,
    burst: gateway.burst,
  });
  const intake = new OperationIntake({
    producer: createOperationProducer({ sink, encoder, source: SOURCE, contracts }),
    contracts,
    lookup,
    index: options.index,
    clock,
    createdAheadMaxMs: limits.created_at_ahead_ms,
  });
  const findClient = createClientFinder(gateway.api_keys);
  const webhooks = webhookRoutes({
    receiver,
    bodyBytesMax: gateway.body_bytes,
    retryAfterS: gateway.retry_after_s,
    answered: (provider, endpoint, answer) => {
      metrics.webhooks.inc({ provider, endpoint, outcome: answer.outcome });
      sayRefused(provider, endpoint, answer);
    },
    failed,
  });
  const operations = operationApiRoutes({
    intake,
    lookup,
    findClient,
    anonymous: options.anonymous,
    answersReads: options.answersReads,
    bodyBytesMax: gateway.body_bytes,
    retryAfterS: gateway.retry_after_s,
    version: options.version,
    answered: (route, status) => metrics.operationRequests.inc({ route, status }),
    failed,
  });
  const handoffs = handoffsOf(options, sink, findClient, failed);
  return {
    routes: (server) => {
      webhooks(server);
      operations(server);
      handoffs?.(server);
    },
    findClient,
    trouble: () => sink.trouble(),
    close: async () => await sink.close(),
  };
};
