import type { InputKind } from './records.ts';

/** The kinds that each input topic may carry. */
export const INPUT_TOPIC_KINDS = {
  'operation-started': ['operation.started', 'operation.acted'],
  'webhook-received': ['webhook.received'],
  'readback-result': ['readback.result'],
  'review-decided': ['review.decided'],
  'charge-receipts': ['charge.receipt', 'refund.receipt'],
  'handoff-requested': ['handoff.requested'],
  'handoff-bound': ['handoff.bound'],
} as const satisfies Readonly<Record<string, readonly InputKind[]>>;

/** An input topic's own name, without the configured prefix. */
export type InputTopic = keyof typeof INPUT_TOPIC_KINDS;

/** The co-partitioned topics that the keyed consumer reads. */
export const INPUT_TOPICS = [
  'operation-started',
  'webhook-received',
  'readback-result',
  'review-decided',
  'charge-receipts',
  'handoff-requested',
  'handoff-bound',
] as const;

export const VERDICTS_TOPIC = 'verdicts';
/** What seals the verdicts, as compact JWS; there only where keys are configured. */
export const RECEIPTS_TOPIC = 'receipts';
export const HANDOFFS_TOPIC = 'handoffs';
export const DEAD_LETTER_TOPIC = 'dead-letter';

export type TopicName =
  | InputTopic
  | typeof VERDICTS_TOPIC
  | typeof RECEIPTS_TOPIC
  | typeof HANDOFFS_TOPIC
  | typeof DEAD_LETTER_TOPIC;

/** The topic's name in Kafka: the configured prefix stands before it as it is (`staging.` gives `staging.verdicts`). */
export const prefixedTopic = (prefix: string, topic: TopicName): string => `${prefix}${topic}`;

/** Which input topic a Kafka topic is, whatever its prefix; null where it is none. */
export const inputTopicOf = (name: string): InputTopic | null =>
  INPUT_TOPICS.find((topic) => name.endsWith(topic)) ?? null;

/** The topic that carries records of this kind. */
export const topicOfKind = (kind: InputKind): InputTopic => TOPIC_OF_KIND[kind];

const TOPIC_OF_KIND: Readonly<Record<InputKind, InputTopic>> = {
  'operation.started': 'operation-started',
  'operation.acted': 'operation-started',
  'webhook.received': 'webhook-received',
  'readback.result': 'readback-result',
  'review.decided': 'review-decided',
  'charge.receipt': 'charge-receipts',
  'refund.receipt': 'charge-receipts',
  'handoff.requested': 'handoff-requested',
  'handoff.bound': 'handoff-bound',
};
