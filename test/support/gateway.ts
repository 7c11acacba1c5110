import type { DestinationStream } from 'pino';
import { type Config, configSchema } from '../../src/config/schema.ts';
import { secretsOf } from '../../src/config/secrets.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { MemoryRecordSink } from '../../src/drivers/memory/record-sink.ts';
import { startHealthServer } from '../../src/observability/health-server.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import type { CertificateSource } from '../../src/ports/certificate-source.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ConsumedRecord } from '../../src/ports/consumed-record.ts';
import type { OperationLookup } from '../../src/ports/operation-lookup.ts';
import { jsonEncoder } from '../../src/ports/record-encoder.ts';
import type { RecordSink } from '../../src/ports/record-sink.ts';
import type { PostbackVerifier } from '../../src/producers/gateway/authenticate-delivery.ts';
import { createGatewayEdge } from '../../src/producers/gateway/edge.ts';
import type { Endpoint } from '../../src/providers/index.ts';
import type { InputTopic } from '../../src/records/topics.ts';
import { RECEIVED } from './deliveries.ts';

export interface GatewayGiven {
  readonly endpoints?: readonly Endpoint[];
  readonly config?: Record<string, unknown>;
  /** instead of the log in memory */
  readonly sink?: RecordSink;
  readonly certificates?: CertificateSource;
  readonly postback?: PostbackVerifier;
  readonly lookup?: OperationLookup;
  readonly clock?: Clock;
}

export interface RunningGateway {
  readonly address: string;
  readonly port: number;
  readonly config: Config;
  /** every line it logged */
  readonly logged: readonly string[];
  /** what is kept, whatever the partition */
  records(topic?: InputTopic): readonly ConsumedRecord[];
  /** the same, as parsed values */
  values(topic?: InputTopic): readonly Record<string, unknown>[];
  metrics(): Promise<string>;
  post(path: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

const PARTITIONS = 4;
const NOWHERE: CertificateSource = {
  pem: () => Promise.reject(new Error('this test fetches no certificate')),
};

/** A gateway over a log in memory, on a port of its own, at noon of the day on which deliveries arrive. */
export const startGateway = async (given: GatewayGiven = {}): Promise<RunningGateway> => {
  const config = configSchema.parse(given.config ?? {});
  const log = new MemoryRecordSink('', PARTITIONS);
  const logged: string[] = [];
  const destination: DestinationStream = { write: (line) => void logged.push(line) };
  const metrics = createMetrics();
  const edge = createGatewayEdge({
    config,
    endpoints: given.endpoints ?? [],
    contracts: loadContracts(),
    sink: given.sink ?? log,
    encoder: jsonEncoder,
    lookup: given.lookup ?? null,
    certificates: given.certificates ?? NOWHERE,
    postback: given.postback,
    anonymous: () => null,
    answersReads: true,
    clock: given.clock ?? { now: () => RECEIVED },
    metrics,
    logger: createLogger({ level: 'trace', secrets: secretsOf(config), role: 'gateway', destination }),
    version: '0.0.0',
  });
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    metrics,
    readiness: () => ({ ready: edge.trouble() === null, reasons: [edge.trouble() ?? []].flat() }),
    routes: edge.routes,
    limits: {
      requestTimeoutMs: config.gateway.request_timeout_ms,
      headerBytesMax: config.gateway.header_bytes,
      connectionsMax: config.gateway.connections,
    },
  });
  const records = (topic: InputTopic = 'webhook-received'): ConsumedRecord[] =>
    Array.from({ length: PARTITIONS }, (_, partition) => log.read(topic, partition)).flat();
  return {
    address: server.address,
    port: Number(new URL(server.address).port),
    config,
    logged,
    records,
    values: (topic) =>
      records(topic).map(({ value }) => JSON.parse(Buffer.from(value ?? '').toString()) as Record<string, unknown>),
    metrics: async () => (await fetch(`${server.address}/metrics`)).text(),
    post: (path, body, headers = {}) =>
      fetch(`${server.address}${path}`, {
        method: 'POST',
        body: body as RequestInit['body'] & (string | Uint8Array),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    close: async () => {
      await server.close();
      await edge.close();
    },
  };
};
