import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Everything that a role measures. docs/reference/metrics.md says what each tells and when to worry. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const metrics = {
    lag: new Gauge({
      name: 'countersign_consumer_lag_records',
      help: 'Records of an input partition that are not applied yet.',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    streamTimeDelay: new Gauge({
      name: 'countersign_stream_time_delay_seconds',
      help: "How far a shard's stream time lies behind the wall clock.",
      labelNames: ['shard'],
      registers,
    }),
    oldestUnresolved: new Gauge({
      name: 'countersign_oldest_unresolved_operation_seconds',
      help: 'Age of the oldest operation of a shard whose verdict is still PENDING; 0 without one.',
      labelNames: ['shard'],
      registers,
    }),
    records: new Counter({
      name: 'countersign_records_total',
      help: 'Input records by kind and by what became of them: applied, ignored, rekeyed, or the code of what was refused.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    duplicatesDropped: new Counter({
      name: 'countersign_duplicates_dropped_total',
      help: 'Repeated deliveries of an event that were dropped after authentication.',
      labelNames: ['provider'],
      registers,
    }),
    duplicateRefunds: new Counter({
      name: 'countersign_duplicate_refunds_total',
      help: 'Verdicts that say that the money went twice.',
      labelNames: ['provider'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'countersign_dead_letters_total',
      help: 'Records set aside, by error code.',
      labelNames: ['code'],
      registers,
    }),
    verdicts: new Counter({
      name: 'countersign_verdicts_total',
      help: 'Published revisions by verdict, class of contradiction and reason.',
      labelNames: ['verdict', 'class', 'reason'],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'countersign_commit_seconds',
      help: 'Duration of one commit to the state store, by outcome: committed, already, fenced, rewound, failed.',
      labelNames: ['outcome'],
      buckets: SECONDS,
      registers,
    }),
    publishSeconds: new Histogram({
      name: 'countersign_publish_seconds',
      help: 'Duration of publishing one batch of verdicts, transaction included, by outcome: published, failed.',
      labelNames: ['outcome'],
      buckets: SECONDS,
      registers,
    }),
    shards: new Gauge({
      name: 'countersign_shards',
      help: 'Shards of this process by state: claiming, running, paused, fenced, halted.',
      labelNames: ['state'],
      registers,
    }),
    pauses: new Counter({
      name: 'countersign_shard_pauses_total',
      help: 'Pauses of a shard for a transient fault, by error code.',
      labelNames: ['code'],
      registers,
    }),
    webhooks: new Counter({
      name: 'countersign_webhooks_total',
      help: 'Webhook requests by provider, endpoint and by what became of them: published, forged, unverifiable, …',
      labelNames: ['provider', 'endpoint', 'outcome'],
      registers,
    }),
    operationRequests: new Counter({
      name: 'countersign_operation_requests_total',
      help: 'Requests to the operations API by route and HTTP status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    certificateFetches: new Counter({
      name: 'countersign_certificate_fetches_total',
      help: 'Fetches of PayPal certificates by outcome: fetched, failed.',
      labelNames: ['outcome'],
      registers,
    }),
    reads: new Counter({
      name: 'countersign_reads_total',
      help: 'Readbacks that a provider was asked for, by outcome: ok, absent, or the kind of error.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    readSeconds: new Histogram({
      name: 'countersign_read_seconds',
      help: 'Duration of one readback, its pages and token included.',
      labelNames: ['provider'],
      buckets: SECONDS,
      registers,
    }),
    readsDeferred: new Counter({
      name: 'countersign_reads_deferred_total',
      help: 'Due reads put off without a call: room, under_way, rate, breaker, lease, stopping, account, contract.',
      labelNames: ['reason'],
      registers,
    }),
    receipts: new Counter({
      name: 'countersign_receipts_total',
      help: 'Receipts signed, and batches that could not be sealed: sealed, or the code of the error.',
      labelNames: ['outcome'],
      registers,
    }),
    receiptKeyEnds: new Gauge({
      name: 'countersign_receipt_key_ends_timestamp_seconds',
      help: 'When the key that seals now ends, in seconds since 1970; +Inf where it does not.',
      labelNames: ['kid'],
      registers,
    }),
    handoffs: new Counter({
      name: 'countersign_handoffs_total',
      help: 'Answers to requests for a plan: planned, or the code of each stop condition.',
      labelNames: ['outcome'],
      registers,
    }),
    rewinds: new Counter({
      name: 'countersign_rewinds_total',
      help: 'Times that the state store was found to have gone back in time.',
      registers,
    }),
  };
  return { ...metrics, registry };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Adds what every Node process has to tell (CPU, memory, event loop). Once a process. */
export function collectProcessMetrics(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics.registry });
}
