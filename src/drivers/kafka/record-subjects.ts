import type { RecordKind } from '../../records/avro-plan.ts';
import { avroSchemaText, RECORD_KINDS } from '../../records/avro-schemas.ts';
import { prefixedTopic, topicOfKind, VERDICTS_TOPIC } from '../../records/index.ts';

/** One kind's schema under the subject it is registered as. */
export interface RecordSubject {
  readonly kind: RecordKind;
  readonly subject: string;
  /** JSON text */
  readonly schema: string;
}

/**
 * The subjects of every record schema: topic and record name, since operation-started carries two kinds (the registry's
 * TopicRecordNameStrategy). Readers need no subject: they go by the id in the value.
 */
export const recordSubjects = (topicPrefix: string): readonly RecordSubject[] =>
  RECORD_KINDS.map((kind) => {
    const schema = avroSchemaText(kind);
    const { namespace, name } = JSON.parse(schema) as { readonly namespace: string; readonly name: string };
    const topic = prefixedTopic(topicPrefix, kind === 'verdict' ? VERDICTS_TOPIC : topicOfKind(kind));
    return { kind, subject: `${topic}-${namespace}.${name}`, schema };
  });
