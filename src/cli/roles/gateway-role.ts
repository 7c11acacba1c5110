import type { FastifyInstance } from 'fastify';
import type { Admin } from 'kafkajs';
import type { Logger } from 'pino';
import { accountOf } from '../../config/accounts.ts';
import type { Config } from '../../config/schema.ts';
import { createHandoffLookup } from '../../console/handoff-lookup.ts';
import { createStateLookup } from '../../console/state-lookup.ts';
import { createCertificateSource } from '../../drivers/http/certificate-source.ts';
import { createProviderHttp } from '../../drivers/http/provider-http.ts';
import { connectKafka } from '../../drivers/kafka/connect.ts';
import { createKafkaRecordSink } from '../../drivers/kafka/record-sink.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { createRedisHandoffIndex } from '../../drivers/redis/handoff-index.ts';
import { createRedisOperationIndex } from '../../drivers/redis/operation-index.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import { OperatingError } from '../../errors.ts';
import type { ContractSet } from '../../evaluator/index.ts';
import type { Readiness } from '../../observability/health-server.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { systemClock } from '../../ports/clock.ts';
import type { HandoffLookup } from '../../ports/handoff-lookup.ts';
import type { OperationIndex } from '../../ports/operation-index.ts';
import type { OperationLookup } from '../../ports/operation-lookup.ts';
import type { ProviderHttp } from '../../ports/provider-http.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { PostbackVerifier } from '../../producers/gateway/authenticate-delivery.ts';
import { createGatewayEdge } from '../../producers/gateway/edge.ts';
import { createPostbackVerifier } from '../../producers/gateway/paypal-postback.ts';
import type { PayPalAccount } from '../../providers/account.ts';
import type { Endpoint } from '../../providers/index.ts';
import { prefixedTopic } from '../../records/index.ts';
import { createHandoffs } from '../handoffs.ts';
import type { Stoppable } from '../until-stopped.ts';
import { version } from '../version.ts';
import { createStoredStates } from './stored-states.ts';

export interface GatewayRoleOptions {
  readonly config: Config;
  readonly endpoints: readonly Endpoint[];
  readonly contracts: ContractSet;
  readonly encoder: RecordEncoder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The webhook gateway and the operations API on Kafka. */
export interface GatewayRole extends Stoppable {
  readonly routes: (server: FastifyInstance) => void;
  readiness(): Promise<Readiness>;
}

/** Gives up on a batch soon: whoever waits for it is told to come again, and the next one begins afresh. */
const RETRY = { retries: 4, initialRetryTime: 50, maxRetryTime: 1_000, multiplier: 2, factor: 0.2 };
const PROBE_MS = 2_000;

/** Longest answer of PayPal's verification that is read. */
const POSTBACK_BYTES_MAX = 65_536;

const postbackOf = ({
  config,
}: GatewayRoleOptions): { readonly postback?: PostbackVerifier; close(): Promise<void> } => {
  if (!config.gateway.paypal_postback) return { close: async () => undefined };
  const accounts = config.accounts.map(accountOf).filter((account) => account.provider === 'paypal');
  const opened: ProviderHttp[] = [];
  const httpOf = ({ apiBase, concurrency }: PayPalAccount): ProviderHttp => {
    const http = createProviderHttp({
      apiBase,
      timeoutMs: config.gateway.certificate_timeout_ms,
      maxBytes: POSTBACK_BYTES_MAX,
      connections: concurrency,
      allowPrivate: config.readback.allow_private,
    });
    opened.push(http);
    return http;
  };
  return {
    postback: createPostbackVerifier({ accounts, httpOf, clock: systemClock }),
    close: async () => {
      await Promise.allSettled(opened.map((http) => http.close()));
    },
  };
};

/** What the topics' metadata say, asked at most every two seconds, and never waited for longer than that. */
const topicProbe = (admin: Admin, topics: readonly string[]) => {
  let connected: Promise<void> | null = null;
  const ask = async (): Promise<ReadonlyMap<string, number>> => {
    connected ??= admin.connect().catch((error: unknown) => {
      connected = null;
      throw error;
    });
    await connected;
    return partitionCounts(admin, topics);
  };
  let at = Number.NEGATIVE_INFINITY;
  let answer: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map());
  return (): Promise<ReadonlyMap<string, number>> => {
    if (systemClock.now() - at < PROBE_MS) return answer;
    at = systemClock.now();
    answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${PROBE_MS} ms`)), PROBE_MS);
      ask()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
    answer.catch(() => undefined);
    return answer;
  };
};

interface Reading {
  readonly lookup: OperationLookup | null;
  readonly index?: OperationIndex;
  readonly handoffs?: HandoffLookup;
  close(): Promise<void>;
}

const readingFrom = ({ config, contracts }: GatewayRoleOptions, partitions: () => Promise<number>): Reading => {
  if (config.redis.url === undefined) return { lookup: null, close: async () => undefined };
  const redis = createRedis(config.redis);
  const store = new RedisShardStore(redis, config.redis.prefix);
  const index = createRedisOperationIndex(redis, config.redis.prefix);
  const states = createStoredStates({ store, partitions, clock: systemClock });
  const now = () => systemClock.now();
  return {
    lookup: createStateLookup({ contracts, now, paymentsOf: (id) => index.paymentsOf(id), ...states }),
    index,
    handoffs: createHandoffLookup(createRedisHandoffIndex(redis, config.redis.prefix), states.stateOf),
    close: () => store.close(),
  };
};

/** Makes what the routes need. Kafka and Redis are connected to when they are first wanted: until then the answer is 503. */
export const createGatewayRole = (options: GatewayRoleOptions): GatewayRole => {
  const { config, logger, metrics } = options;
  // A broker that hangs is left as soon as those who wait are told to come again; the batch goes out anew, and is told from its first.
  const requestTimeoutMs = Math.min(config.kafka.request_timeout_ms, config.gateway.publish_timeout_ms);
  const kafka = connectKafka({ ...config.kafka, request_timeout_ms: requestTimeoutMs }, logger, RETRY);
  const admin = kafka.admin();
  const topics = (['webhook-received', 'operation-started', 'handoff-requested'] as const).map((topic) =>
    prefixedTopic(config.kafka.topic_prefix, topic),
  );
  const probe = topicProbe(admin, topics);
  const partitions = async (): Promise<number> => {
    let counts: ReadonlyMap<string, number>;
    try {
      counts = await probe();
    } catch (cause) {
      throw new OperatingError('BROKER_UNAVAILABLE', `the partitions cannot be told: ${(cause as Error).message}`, {
        cause,
      });
    }
    const count = counts.get(topics[1] ?? '');
    if (count === undefined) throw new OperatingError('BROKER_UNAVAILABLE', `topic ${topics[1]} does not exist`);
    return count;
  };
  const reading = readingFrom(options, partitions);
  const { postback, close: closePostback } = postbackOf(options);
  const edge = createGatewayEdge({
    ...options,
    postback,
    sink: createKafkaRecordSink(kafka, config.kafka.topic_prefix),
    lookup: reading.lookup,
    index: reading.index,
    handoffs:
      reading.handoffs === undefined
        ? null
        : { proofs: createHandoffs(config.handoff).proofs, lookup: reading.handoffs },
    certificates: createCertificateSource({ timeoutMs: config.gateway.certificate_timeout_ms }),
    anonymous: () => null,
    answersReads: true,
    clock: systemClock,
    metrics,
    version: version(),
  });
  const missing = async (): Promise<string[]> => {
    try {
      const counts = await probe();
      return topics.filter((topic) => !counts.has(topic)).map((topic) => `topic ${topic} does not exist`);
    } catch (error) {
      return [`Kafka does not answer: ${(error as Error).message}`];
    }
  };
  return {
    routes: edge.routes,
    readiness: async () => {
      const trouble = edge.trouble();
      const reasons = [...(trouble === null ? [] : [`records are not taken: ${trouble}`]), ...(await missing())];
      return { ready: reasons.length === 0, reasons, facts: { endpoints: options.endpoints.length } };
    },
    stop: async () => {
      await Promise.allSettled([edge.close(), reading.close(), closePostback(), admin.disconnect()]);
    },
  };
};
