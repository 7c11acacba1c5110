import type { Admin, Kafka, RetryOptions } from 'kafkajs';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { ShardId, ShardStore } from '../../ports/shard-store.ts';
import type { Timers } from '../../ports/timers.ts';
import type { PartitionReader } from './partition-reader.ts';
import type { ReceiptLog } from './receipt-log.ts';
import type { VerdictEncoder } from './verdict-messages.ts';
import type { VerdictDecoder } from './verdict-tail.ts';

/** The topic of answers to requests for a plan. It shares its sequence numbers with the verdicts. */
export interface HandoffLog {
  /** full name */
  readonly topic: string;
  readonly encode: VerdictEncoder;
}

/** What the publisher of one shard needs; the same for both ways of publishing. */
export interface Publication {
  /** made with {@link PUBLISH_RETRY}: the client takes some of its patience from there */
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly reader: PartitionReader;
  readonly store: Pick<ShardStore, 'owns' | 'pendingVerdicts' | 'trimVerdicts'>;
  readonly shard: ShardId;
  /** full name of the verdicts topic */
  readonly topic: string;
  /** the group without members that holds published positions */
  readonly positionGroup: string;
  /** the input topic on whose partitions they are committed */
  readonly positionTopic: string;
  readonly transactionalId: string;
  /** where sealed verdicts have their receipts; null or left out: no keys are configured, and verdicts have none */
  readonly receipts?: ReceiptLog | null;
  /** where answers to requests for a plan go; left out: there are none */
  readonly handoffs?: HandoffLog | undefined;
  readonly encode: VerdictEncoder;
  readonly decode: VerdictDecoder;
  readonly faults: FaultPoints;
  /** between two tries; the system's unless given */
  readonly timers?: Timers;
}

/**
 * Short first waits: the coordinator says CONCURRENT_TRANSACTIONS for a few milliseconds after each transaction, and the
 * client's own 300 ms would be its latency.
 */
export const PUBLISH_RETRY: RetryOptions = { initialRetryTime: 5, factor: 0, multiplier: 1.5, retries: 20 };

/** Pending verdicts are read from the store in pages of this many, one transaction each. */
export const PENDING_PAGE = 1_000;
