import { partitionOfKey } from '../../../../src/records/partition.ts';
import type { Random } from '../../random.ts';
import { Network } from '../network.ts';
import type { Scheduler } from '../scheduler.ts';
import { FetchQueue } from './fetch-queue.ts';
import { GroupCoordinator } from './group-coordinator.ts';
import { PartitionLog } from './partition-log.ts';
import { connectionClosed } from './protocol-error.ts';
import { type GroupOffsets, TransactionCoordinator } from './transaction-coordinator.ts';

export interface ClusterOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly topics: readonly string[];
  readonly partitions: number;
  readonly nodes: number;
  readonly latencyMs: number;
}

/** What the brokers of one cluster hold. Requests reach it through {@link network}, see `sim-broker.ts`. */
export class SimCluster {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly nodes: readonly number[];
  readonly logs = new Map<string, readonly PartitionLog[]>();
  readonly offsets: GroupOffsets = new Map();
  readonly transactions: TransactionCoordinator;
  readonly fetches: FetchQueue;
  readonly #groups = new Map<string, GroupCoordinator>();

  constructor({ scheduler, random, topics, partitions, nodes, latencyMs }: ClusterOptions) {
    this.scheduler = scheduler;
    this.random = random.fork('cluster');
    const conditions = { latencyMs, requestLost: 0, answerLost: 0, isAway: false };
    this.network = new Network(scheduler, random.fork('kafka network'), conditions, connectionClosed);
    this.nodes = Array.from({ length: nodes }, (_, index) => index + 1);
    for (const topic of topics)
      this.logs.set(
        topic,
        Array.from({ length: partitions }, (_, partition) => new PartitionLog(topic, partition)),
      );
    this.fetches = new FetchQueue(scheduler);
    this.transactions = new TransactionCoordinator({
      scheduler,
      offsets: this.offsets,
      markersMs: () => 1 + this.random.int(0, 12),
      changed: () => this.fetches.look(),
    });
  }

  log(topic: string, partition: number): PartitionLog {
    const log = this.logs.get(topic)?.[partition];
    if (log === undefined) throw new TypeError(`there is no partition ${topic}/${partition}`);
    return log;
  }

  group(id: string): GroupCoordinator {
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = new GroupCoordinator(this.scheduler);
      this.#groups.set(id, group);
    }
    return group;
  }

  /** Where the leader of a partition, or the coordinator of a group, is. */
  nodeOf(name: string): number {
    return this.nodes[partitionOfKey(name, this.nodes.length)] ?? 1;
  }

  /** rebalances of all groups */
  get rebalances(): number {
    return [...this.#groups.values()].reduce((sum, group) => sum + group.rebalances, 0);
  }
}
