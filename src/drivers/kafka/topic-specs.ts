import { CHARGE_VALID_MS, type Contract } from '../../evaluator/index.ts';
import {
  DEAD_LETTER_TOPIC,
  HANDOFFS_TOPIC,
  INPUT_TOPICS,
  type InputTopic,
  prefixedTopic,
  RECEIPTS_TOPIC,
  VERDICTS_TOPIC,
} from '../../records/topics.ts';

const DAY_MS = 86_400_000;

/**
 * Far above any record of ours, so that one that is too large arrives, is seen and is dead-lettered, instead of being refused
 * where nobody looks.
 */
const INPUT_MESSAGE_BYTES = 8 * 1024 * 1024;
/** A dead letter holds a whole input record and our headers. */
const DEAD_LETTER_MESSAGE_BYTES = INPUT_MESSAGE_BYTES + 64 * 1024;

/** One topic as it should be. Values are Kafka's own text. */
export interface TopicSpec {
  readonly name: string;
  readonly role: 'input' | 'verdicts' | 'receipts' | 'dead-letter';
  readonly partitions: number;
  readonly replication: number;
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicPlan {
  readonly prefix: string;
  readonly partitions: number;
  readonly replication: number;
  /** at least this long, input records are kept */
  readonly retentionMs: number;
  /** how long receipts are kept, -1 for ever; left out: verdicts are not sealed, and there is no such topic */
  readonly receiptsRetentionMs?: number;
}

/** Input must outlive every operation that it may be needed for: the longest timeout and watch period, and a week to act. */
export const inputRetentionMs = (contracts: readonly Contract[]): number =>
  Math.max(0, ...contracts.map(({ timing }) => timing.timeout_ms + timing.watch_period_ms)) + 7 * DAY_MS;

/** What charges prove is rebuilt from its topic for as long as it justifies anything. */
const keptLonger = (topic: InputTopic, retentionMs: number): Record<string, string> =>
  topic === 'charge-receipts' ? { 'retention.ms': String(Math.max(retentionMs, CHARGE_VALID_MS + 7 * DAY_MS)) } : {};

/** The topics that Countersign works on: co-partitioned inputs, compacted verdicts, dead-letter. */
export const topicSpecs = (plan: TopicPlan): TopicSpec[] => {
  const { prefix, partitions, replication, retentionMs, receiptsRetentionMs } = plan;
  const shared = { partitions, replication };
  const durability: Record<string, string> = replication >= 3 ? { 'min.insync.replicas': '2' } : {};
  const kept = { 'cleanup.policy': 'delete', 'retention.ms': String(retentionMs), ...durability };
  return [
    ...INPUT_TOPICS.map((topic) => ({
      name: prefixedTopic(prefix, topic),
      role: 'input' as const,
      ...shared,
      config: { ...kept, ...keptLonger(topic, retentionMs), 'max.message.bytes': String(INPUT_MESSAGE_BYTES) },
    })),
    ...([VERDICTS_TOPIC, HANDOFFS_TOPIC] as const).map((topic) => ({
      name: prefixedTopic(prefix, topic),
      role: 'verdicts' as const,
      ...shared,
      config: { 'cleanup.policy': 'compact', 'max.message.bytes': String(INPUT_MESSAGE_BYTES), ...durability },
    })),
    ...(receiptsRetentionMs === undefined
      ? []
      : [
          {
            name: prefixedTopic(prefix, RECEIPTS_TOPIC),
            role: 'receipts' as const,
            ...shared,
            // An auditor's log: all of it, in order.
            config: {
              'cleanup.policy': 'delete',
              'retention.ms': String(receiptsRetentionMs),
              'max.message.bytes': String(INPUT_MESSAGE_BYTES),
              ...durability,
            },
          },
        ]),
    {
      name: prefixedTopic(prefix, DEAD_LETTER_TOPIC),
      role: 'dead-letter',
      ...shared,
      config: { ...kept, 'max.message.bytes': String(DEAD_LETTER_MESSAGE_BYTES) },
    },
  ];
};
