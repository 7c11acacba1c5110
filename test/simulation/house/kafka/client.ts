import { createRequire } from 'node:module';
import kafkajs, { type Kafka, type RetryOptions } from 'kafkajs';
import type { SimProcess } from '../sim-process.ts';
import { protocolError } from './protocol-error.ts';
import { SimBroker } from './sim-broker.ts';
import type { SimCluster } from './sim-cluster.ts';

const load = createRequire(import.meta.url);
const patience = load('kafkajs/src/retry/defaults') as RetryOptions;
const patienceInTests = load('kafkajs/src/retry/defaults.test') as RetryOptions;
// The client is more patient in production than where NODE_ENV says test, and adds chance of its own to every wait.
Object.assign(patience, { factor: 0 });
Object.assign(patienceInTests, patience);

interface Metadata {
  readonly topicMetadata: readonly { readonly topic: string; readonly partitionMetadata: readonly unknown[] }[];
  readonly controllerId: number;
}

/** What the client's own Cluster asks of its pool of brokers. */
class SimBrokerPool {
  readonly brokers: Readonly<Record<string, SimBroker>>;
  metadata: Metadata | null = null;
  #isConnected = false;

  constructor(cluster: SimCluster, process: SimProcess) {
    this.brokers = Object.fromEntries(cluster.nodes.map((node) => [node, new SimBroker(cluster, process, node)]));
  }

  hasConnectedBrokers(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    await this.#any().metadata([]);
    this.#isConnected = true;
  }

  async disconnect(): Promise<void> {
    this.#isConnected = false;
  }

  removeBroker(): void {}

  getNodeIds(): string[] {
    return Object.keys(this.brokers);
  }

  async findBroker({ nodeId }: { readonly nodeId: number | string }): Promise<SimBroker> {
    const broker = this.brokers[nodeId];
    if (broker === undefined) throw protocolError('BROKER_NOT_AVAILABLE');
    return broker;
  }

  async withBroker<T>(run: (one: { nodeId: string; broker: SimBroker }) => Promise<T>): Promise<T | null> {
    for (const [nodeId, broker] of Object.entries(this.brokers)) {
      try {
        return await run({ nodeId, broker });
      } catch {
        // The next one may know.
      }
    }
    return null;
  }

  async refreshMetadata(topics: readonly string[]): Promise<void> {
    this.metadata = (await this.#any().metadata(topics)) as Metadata;
  }

  async refreshMetadataIfNecessary(topics: readonly string[]): Promise<void> {
    const known = this.metadata?.topicMetadata;
    if (known === undefined || !topics.every((topic) => known.some((one) => one.topic === topic)))
      await this.refreshMetadata(topics);
  }

  #any(): SimBroker {
    const [first] = Object.values(this.brokers);
    if (first === undefined) throw new TypeError('a cluster has at least one broker');
    return first;
  }
}

type MakeCluster = (options: unknown) => { brokerPool: unknown };

/**
 * A client of the simulated cluster, for one process: the Kafka client itself, whose groups, fetchers, transactions and
 * retries run as they are. Only what would go over the network goes to {@link SimBroker} instead.
 */
export const simulatedKafka = (cluster: SimCluster, process: SimProcess, retry?: RetryOptions): Kafka => {
  const kafka = new kafkajs.Kafka({
    brokers: ['sim:9092'],
    clientId: process.name,
    logLevel: kafkajs.logLevel.NOTHING,
    ...(retry === undefined ? {} : { retry }),
  });
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined) throw new TypeError('this release of kafkajs makes its clusters in another way');
  const client = kafka as unknown as Record<symbol, MakeCluster>;
  const make = client[symbol] as MakeCluster;
  client[symbol] = (options) => {
    const made = make(options);
    made.brokerPool = new SimBrokerPool(cluster, process);
    return made;
  };
  return kafka;
};
