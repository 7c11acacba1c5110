import type { RecordKind } from '../../records/avro-plan.ts';
import { avroSchemaText, RECORD_KINDS } from '../../records/avro-schemas.ts';
import { HANDOFFS_TOPIC, prefixedTopic, type TopicName, topicOfKind, VERDICTS_TOPIC } from '../../records/index.ts';

/** One kind's schema under the subject it is registered as. */
export interface RecordSubject {
  readonly kind: RecordKind;
  readonly subject: string;
  /** JSON text */
  readonly schema: string;
}

const topicFor = (kind: RecordKind): TopicName => {
  if (kind === 'verdict') return VERDICTS_TOPIC;
  return kind === 'handoff.decided' ? HANDOFFS_TOPIC : topicOfKind(kind);
};

/**
 * The subjects of every record schema: topic and record name, since operation-started carries two kinds (the registry's
 * TopicRecordNameStrategy). Readers need no subject: they go by the id in the value.
 */
export const recordSubjects = (topicPrefix: string): readonly RecordSubject[] =>
  RECORD_KINDS.map((kind) => {
    const schema = avroSchemaText(kind);
    const { namespace, name } = JSON.parse(schema) as { readonly namespace: string; readonly name: string };
    const topic = prefixedTopic(topicPrefix, topicFor(kind));
    return { kind, subject: `${topic}-${namespace}.${name}`, schema };
  });
