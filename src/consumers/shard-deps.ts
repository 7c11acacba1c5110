import type { Logger } from 'pino';
import type { Metrics } from '../observability/metrics.ts';
import type { DeadLetterSink, RekeySink } from '../ports/dead-letters.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { ForwardSink } from '../ports/forward-sink.ts';
import type { InputLog } from '../ports/input-log.ts';
import type { OperationIndex } from '../ports/operation-index.ts';
import type { ShardStore } from '../ports/shard-store.ts';
import type { VerdictPublisher } from '../ports/verdict-publisher.ts';
import type { BatchDeps } from './batch-deps.ts';
import type { DecodeOptions } from './decode-records.ts';
import type { StateCache } from './state-cache.ts';

/** What every shard of a process works with. */
export interface ShardDeps {
  readonly batch: BatchDeps;
  readonly decode: DecodeOptions;
  readonly store: ShardStore;
  readonly log: InputLog;
  readonly deadLetters: DeadLetterSink;
  readonly rekeys: RekeySink;
  /** passes requests for a plan on to their payments; left out where none come in */
  readonly forwards?: ForwardSink;
  /** makes charge receipts findable by their reference; left out where nobody looks */
  readonly charges?: Pick<OperationIndex, 'add'>;
  readonly publisherOf: (shard: number) => VerdictPublisher;
  readonly cacheOf: (shard: number) => StateCache;
  /** partitions of each input topic */
  readonly partitions: number;
  /** most records of one commit */
  readonly batchRecords: number;
  readonly backoff: { readonly minMs: number; readonly maxMs: number };
  /** unique for ever */
  readonly newOwner: () => string;
  readonly faults: FaultPoints;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A fault of the program: the process must stop. */
  readonly onFatal: (error: unknown) => void;
}
