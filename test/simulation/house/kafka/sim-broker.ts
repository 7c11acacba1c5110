import type { SimProcess } from '../sim-process.ts';
import type { JoinAnswer, JoinRequest, SyncRequest } from './group-coordinator.ts';
import type { NewRecord, PartitionLog } from './partition-log.ts';
import { offsetOutOfRange, protocolError } from './protocol-error.ts';
import type { SimCluster } from './sim-cluster.ts';
import type { Identity } from './transaction-coordinator.ts';

const READ_COMMITTED = 1;
const EARLIEST = -2;
const TRANSACTION_TIMEOUT_MS = 60_000;

interface Headers {
  readonly [name: string]: unknown;
}

interface ProducedMessage {
  readonly key?: Buffer | string | null;
  readonly value: Buffer | string | null;
  readonly headers?: Headers;
  readonly timestamp?: string | number;
}

interface ProduceRequest extends Partial<Identity> {
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly firstSequence?: number;
      readonly messages: readonly ProducedMessage[];
    }[];
  }[];
}

interface FetchRequest {
  readonly isolationLevel: number;
  readonly maxWaitTime: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string }[];
  }[];
}

interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly timestamp?: number }[];
}

const bytes = (value: Buffer | string | null | undefined): Buffer | null =>
  value === null || value === undefined ? null : Buffer.from(value);

const textHeaders = (headers: Headers | undefined): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, Buffer.from(String(value))]));

/**
 * One broker as the client sees it: the requests of its protocol, with their decoded answers in the form that the client's own
 * decoders make. A new object for each client, as a connection is.
 */
export class SimBroker {
  readonly nodeId: number;
  readonly #cluster: SimCluster;
  readonly #process: SimProcess;

  constructor(cluster: SimCluster, process: SimProcess, nodeId: number) {
    this.#cluster = cluster;
    this.#process = process;
    this.nodeId = nodeId;
  }

  isConnected(): boolean {
    return true;
  }

  #ask<T>(doing: string, serve: () => T | Promise<T>): Promise<T> {
    return this.#cluster.network.request(this.#process, doing, serve);
  }

  metadata(topics: readonly string[]): Promise<unknown> {
    return this.#ask('metadata', () => {
      const { nodes, logs } = this.#cluster;
      return {
        brokers: nodes.map((nodeId) => ({ nodeId, host: 'sim', port: 9092 + nodeId })),
        controllerId: nodes[0],
        topicMetadata: topics.map((topic) => ({
          topic,
          topicErrorCode: 0,
          partitionMetadata: (logs.get(topic) ?? []).map(({ partition }) => ({
            partitionErrorCode: 0,
            partitionId: partition,
            leader: this.#cluster.nodeOf(`${topic}/${partition}`),
            replicas: nodes,
            isr: nodes,
          })),
        })),
      };
    });
  }

  findGroupCoordinator({ groupId }: { readonly groupId: string }): Promise<unknown> {
    return this.#ask('find the coordinator', () => ({
      errorCode: 0,
      coordinator: { nodeId: this.#cluster.nodeOf(groupId), host: 'sim', port: 9092 },
    }));
  }

  produce(request: ProduceRequest): Promise<unknown> {
    return this.#ask('produce', () => ({
      topics: request.topicData.map(({ topic, partitions }) => ({
        topicName: topic,
        partitions: partitions.map(({ partition, firstSequence, messages }) => {
          const log = this.#cluster.log(topic, partition);
          this.#append(log, request, firstSequence ?? 0, messages);
          return { partition, errorCode: 0, baseOffset: String(log.end - messages.length), logAppendTime: '-1' };
        }),
      })),
    }));
  }

  #append(
    log: PartitionLog,
    { transactionalId, producerId = -1, producerEpoch = -1 }: ProduceRequest,
    firstSequence: number,
    messages: readonly ProducedMessage[],
  ): void {
    const { transactions, fetches, scheduler } = this.#cluster;
    const isTransactional = transactionalId !== undefined;
    if (isTransactional && !transactions.mayWrite({ transactionalId, producerId, producerEpoch }, log))
      throw protocolError('INVALID_TXN_STATE');
    const records = messages.map(
      ({ key, value, headers, timestamp }): NewRecord => ({
        timestamp: timestamp === undefined ? scheduler.now : Number(timestamp),
        key: bytes(key),
        value: bytes(value),
        headers: textHeaders(headers),
      }),
    );
    const appended = log.append({
      producerId,
      producerEpoch,
      firstSequence,
      isTransactional,
      records,
      appendedAt: scheduler.now,
    });
    if (appended !== 'appended' && appended !== 'duplicate') throw protocolError(appended);
    fetches.look();
  }

  fetch({ isolationLevel, maxWaitTime, topics }: FetchRequest): Promise<unknown> {
    const asked = topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => ({
        log: this.#cluster.log(topic, partition),
        from: Number(fetchOffset),
      })),
    );
    const endOf = (log: PartitionLog): number => (isolationLevel === READ_COMMITTED ? log.stable : log.end);
    return this.#ask('fetch', async () => {
      for (const { log, from } of asked)
        if (from < 0 || from > log.end) throw offsetOutOfRange(log.topic, log.partition);
      await this.#cluster.fetches.wait(() => asked.some(({ log, from }) => from < endOf(log)), maxWaitTime);
      const { random } = this.#cluster;
      const answers = asked.map(({ log, from }) => {
        // A fetch is full at some number of bytes; which, is for chance to say.
        const until = Math.min(endOf(log), from + random.pick([1, 3, 10, 1000]));
        return { topicName: log.topic, partitions: [this.#partitionAnswer(log, from, until)] };
      });
      return { responses: answers };
    });
  }

  #partitionAnswer(log: PartitionLog, from: number, until: number): object {
    return {
      partition: log.partition,
      errorCode: 0,
      highWatermark: String(log.end),
      lastStableOffset: String(log.stable),
      abortedTransactions: log.abortedFrom(from),
      messages: log.entries.slice(from, until).map((entry) => ({
        magicByte: 2,
        attributes: 0,
        offset: String(entry.offset),
        timestamp: String(entry.timestamp),
        key: entry.key,
        value: entry.value,
        headers: entry.headers,
        isControlRecord: entry.control !== null,
        batchContext: { producerId: String(entry.producerId), inTransaction: entry.isTransactional },
      })),
    };
  }

  listOffsets({
    isolationLevel,
    topics,
  }: {
    readonly isolationLevel?: number;
    readonly topics: readonly TopicPartitions[];
  }): Promise<unknown> {
    return this.#ask('list offsets', () => ({
      responses: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition, timestamp }) => {
          const log = this.#cluster.log(topic, partition);
          const latest = isolationLevel === READ_COMMITTED ? log.stable : log.end;
          return { partition, errorCode: 0, offset: String(timestamp === EARLIEST ? 0 : latest) };
        }),
      })),
    }));
  }

  joinGroup({ groupId, ...request }: JoinRequest & { readonly groupId: string }): Promise<JoinAnswer> {
    return this.#ask('join', () => this.#cluster.group(groupId).join(request));
  }

  syncGroup({ groupId, ...request }: SyncRequest & { readonly groupId: string }): Promise<unknown> {
    return this.#ask('sync', () => this.#cluster.group(groupId).sync(request));
  }

  heartbeat(request: {
    readonly groupId: string;
    readonly memberId: string;
    readonly groupGenerationId: number;
  }): Promise<unknown> {
    return this.#ask('heartbeat', () =>
      this.#cluster.group(request.groupId).heartbeat(request.memberId, request.groupGenerationId),
    );
  }

  leaveGroup({ groupId, memberId }: { readonly groupId: string; readonly memberId: string }): Promise<unknown> {
    return this.#ask('leave', () => this.#cluster.group(groupId).leave(memberId));
  }

  offsetFetch({
    groupId,
    topics,
  }: {
    readonly groupId: string;
    readonly topics: readonly TopicPartitions[];
  }): Promise<unknown> {
    return this.#ask('fetch offsets', () => ({
      responses: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => {
          const held = this.#cluster.offsets.get(groupId)?.get(`${topic}/${partition}`);
          return { partition, offset: held?.offset ?? '-1', metadata: held?.metadata ?? '', errorCode: 0 };
        }),
      })),
    }));
  }

  initProducerId({ transactionalId }: { readonly transactionalId?: string | undefined }): Promise<unknown> {
    return this.#ask('init producer id', () => this.#cluster.transactions.initProducerId(transactionalId));
  }

  addPartitionsToTxn({
    topics,
    ...identity
  }: Identity & {
    readonly topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[];
  }): Promise<unknown> {
    const logs = topics.flatMap(({ topic, partitions }) => partitions.map((one) => this.#cluster.log(topic, one)));
    return this.#ask('add partitions', () =>
      this.#cluster.transactions.addPartitions(identity, logs, TRANSACTION_TIMEOUT_MS),
    );
  }

  addOffsetsToTxn({ groupId, ...identity }: Identity & { readonly groupId: string }): Promise<unknown> {
    return this.#ask('add offsets', () =>
      this.#cluster.transactions.addGroup(identity, groupId, TRANSACTION_TIMEOUT_MS),
    );
  }

  txnOffsetCommit({
    groupId,
    topics,
    ...identity
  }: Identity & {
    readonly groupId: string;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly offset: string;
        readonly metadata?: string | null;
      }[];
    }[];
  }): Promise<unknown> {
    return this.#ask('commit offsets', () => {
      for (const { topic, partitions } of topics)
        for (const { partition, offset, metadata } of partitions)
          this.#cluster.transactions.stageOffset(identity, groupId, `${topic}/${partition}`, {
            offset,
            metadata: metadata ?? null,
          });
    });
  }

  endTxn({ transactionResult, ...identity }: Identity & { readonly transactionResult: boolean }): Promise<unknown> {
    return this.#ask('end transaction', () =>
      this.#cluster.transactions.endTransaction(identity, transactionResult ? 'commit' : 'abort'),
    );
  }
}
