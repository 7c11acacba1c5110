import { createKafkaRecordSink } from '../../../src/drivers/kafka/record-sink.ts';
import { OperatingError } from '../../../src/errors.ts';
import type { ContractSet, JsonObject, ProviderName } from '../../../src/evaluator/index.ts';
import type { HandoffLookup } from '../../../src/ports/handoff-lookup.ts';
import type { RecordEncoder } from '../../../src/ports/record-encoder.ts';
import type { ApiClient } from '../../../src/producers/gateway/api-key.ts';
import { createBatchedSink } from '../../../src/producers/gateway/batched-sink.ts';
import { type HandoffAnswer, HandoffIntake } from '../../../src/producers/gateway/handoff-intake.ts';
import { IntakeRefused, OperationIntake } from '../../../src/producers/gateway/operation-intake.ts';
import { createWebhookReceiver } from '../../../src/producers/gateway/webhook-receiver.ts';
import { createOperationProducer } from '../../../src/producers/operation-producer.ts';
import { createWebhookProducer } from '../../../src/producers/webhook-producer.ts';
import type { Endpoint } from '../../../src/providers/index.ts';
import { HANDOFF_PROOFS } from './handoff/issuers.ts';
import type { Instance } from './instance.ts';
import { simulatedKafka } from './kafka/client.ts';
import type { SimCluster } from './kafka/sim-cluster.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';
import { timeOf } from './sim-time.ts';

export interface GatewayInstance extends Instance {
  /** the HTTP status of the answer */
  webhook(provider: ProviderName, headers: Readonly<Record<string, string>>, body: string): Promise<number>;
  operation(id: string, record: JsonObject): Promise<number>;
  plan(body: JsonObject): Promise<HandoffAnswer>;
}

export interface GatewayInstanceOptions {
  readonly scheduler: Scheduler;
  readonly cluster: SimCluster;
  readonly process: SimProcess;
  readonly contracts: ContractSet;
  readonly endpoints: readonly Endpoint[];
  readonly encoder: RecordEncoder;
  readonly handoffs: HandoffLookup;
}

const CLIENT: ApiClient = { id: 'refunds', scopes: new Set(), accounts: null };
const SOURCE = '/countersign/gateway';

const statusOf = (error: unknown): number => {
  if (error instanceof IntakeRefused) return error.status;
  if (error instanceof OperatingError) return error.retryable ? 503 : 422;
  throw error;
};

/** Both ways in of `countersign gateway`, behind their HTTP forms. */
export const startGateway = (options: GatewayInstanceOptions): GatewayInstance => {
  const { scheduler, cluster, process, contracts, endpoints, encoder, handoffs } = options;
  const clock = timeOf(scheduler, process);
  const sink = createBatchedSink({
    sink: createKafkaRecordSink(simulatedKafka(cluster, process), ''),
    timeoutMs: 10_000,
    waitingMax: 1_000,
    // A turn of the real event loop would end after the instant of the simulated one.
    gather: queueMicrotask,
  });
  const receiver = createWebhookReceiver({
    endpoints,
    producer: createWebhookProducer({ sink, source: SOURCE, encoder }),
    certificates: {
      pem: async () => {
        throw new OperatingError('SIGNATURE_UNVERIFIABLE', 'the certificates of the endpoint are pinned');
      },
    },
    testMode: false,
    clock,
    ratePerSecond: 1_000,
    burst: 1_000,
  });
  const intake = new OperationIntake({
    producer: createOperationProducer({ sink, source: SOURCE, encoder, contracts }),
    contracts,
    lookup: null,
    clock,
    createdAheadMaxMs: 300_000,
    recentMax: 100,
  });
  const plans = new HandoffIntake({
    producer: { sink, source: SOURCE, encoder },
    proofs: HANDOFF_PROOFS,
    lookup: handoffs,
    clock,
    timers: clock,
    waitMs: 5_000,
  });
  return {
    process,
    isBusy: () => false,
    plan: (body) => plans.request(CLIENT, body),
    webhook: async (provider, headers, body) => {
      const route = receiver.route(provider, 'default');
      if (route === null) return 404;
      const refused = route.admit();
      if (refused !== null) return refused.status;
      const rawHeaders = Object.entries(headers).flat();
      return (await route.receive({ rawHeaders, body: Buffer.from(body) })).status;
    },
    operation: async (id, record) => {
      try {
        if (record['kind'] === 'operation.acted') await intake.act(CLIENT, id, record);
        else await intake.start(CLIENT, record);
        return 202;
      } catch (error) {
        return statusOf(error);
      }
    },
    stop: () => sink.close(),
  };
};
