import { COMPATIBILITY, SchemaType } from '@kafkajs/confluent-schema-registry';
import { OperatingError } from '../../errors.ts';
import type { RecordKind } from '../../records/avro-plan.ts';
import { type RecordSubject, recordSubjects } from './record-subjects.ts';
import { connectRegistry, statusOf } from './registry-client.ts';
import { askRegistry, type RegistryAnswer, unavailable } from './registry-http.ts';
import type { RegistrySettings } from './registry-settings.ts';

/** What is wrong with a record schema in the registry, and what to do about it. */
export interface SchemaProblem {
  readonly kind: RecordKind;
  readonly subject: string;
  /**
   * `missing` not registered (register it) · `outdated` registered in another version that ours can follow (register it) ·
   * `incompatible` ours would break its readers · `compatibility` the subject does not hold new versions to BACKWARD
   */
  readonly problem: 'missing' | 'outdated' | 'incompatible' | 'compatibility';
  readonly detail: string;
}

/** The registry's id of each kind's schema. */
export type SchemaIds = Readonly<Record<RecordKind, number>>;

/** At least as strict as BACKWARD. */
const STRICT_ENOUGH = ['BACKWARD', 'BACKWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE'];

/**
 * Registers every record schema that is not registered yet, each subject under BACKWARD compatibility. Registering what is
 * there already changes nothing.
 *
 * @throws OperatingError CONFIG_INVALID where a schema is incompatible with the registered one, or is none at all;
 *   REGISTRY_UNAVAILABLE where the registry does not answer.
 */
export const registerSchemas = async (settings: RegistrySettings, topicPrefix: string): Promise<SchemaIds> => {
  const registry = connectRegistry(settings);
  const ids: Partial<Record<RecordKind, number>> = {};
  for (const { kind, subject, schema } of recordSubjects(topicPrefix)) {
    const compatibility = await holdToBackward(settings, subject);
    try {
      const { id } = await registry.register({ type: SchemaType.AVRO, schema }, { subject, compatibility });
      ids[kind] = id;
    } catch (error) {
      throw registrationError(settings, subject, error);
    }
  }
  return ids as SchemaIds;
};

/**
 * Raises a subject that holds its versions to less than BACKWARD. The level that it then has: the client library registers
 * only where it is told the subject's own, and sets the level of a subject that is new.
 */
const holdToBackward = async (settings: RegistrySettings, subject: string): Promise<COMPATIBILITY> => {
  const path = `/config/${encodeURIComponent(subject)}`;
  const level = levelIn(await askRegistry(settings, 'GET', path));
  if (level === null) return COMPATIBILITY.BACKWARD;
  if (STRICT_ENOUGH.includes(level)) return level as COMPATIBILITY;
  await askRegistry(settings, 'PUT', path, { compatibility: COMPATIBILITY.BACKWARD });
  return COMPATIBILITY.BACKWARD;
};

const registrationError = (settings: RegistrySettings, subject: string, error: unknown): OperatingError => {
  const status = statusOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const isRefused =
    status === 409 || status === 422 || (error instanceof Error && error.name.includes('Compatibility'));
  if (!isRefused) return unavailable(settings, message, error);
  return new OperatingError('CONFIG_INVALID', `schema subject ${subject} does not take our schema: ${message}`, {
    cause: error,
    context: { subject },
  });
};

/** Holds the registry's schemas against ours without changing anything. Empty where all is well. */
export const checkSchemas = async (
  settings: RegistrySettings,
  topicPrefix: string,
): Promise<readonly SchemaProblem[]> => {
  const found = await Promise.all(recordSubjects(topicPrefix).map((subject) => checkSubject(settings, subject)));
  return found.filter((problem) => problem !== null);
};

const checkSubject = async (
  settings: RegistrySettings,
  { kind, subject, schema }: RecordSubject,
): Promise<SchemaProblem | null> => {
  const path = encodeURIComponent(subject);
  const level = (await compatibilityOf(settings, subject)) ?? 'unknown';
  const registered = await askRegistry(settings, 'POST', `/subjects/${path}`, { schema });
  if (registered.status === 200) {
    if (STRICT_ENOUGH.includes(level)) return null;
    const detail = `compatibility is ${level}, should be BACKWARD or stricter`;
    return { kind, subject, problem: 'compatibility', detail };
  }
  const compatible = await askRegistry(settings, 'POST', `/compatibility/subjects/${path}/versions/latest`, { schema });
  if (compatible.status === 404) {
    return {
      kind,
      subject,
      problem: 'missing',
      detail: 'no schema is registered',
    };
  }
  if (compatible.body['is_compatible'] === true) {
    const detail = 'another version is registered, which ours can follow';
    return { kind, subject, problem: 'outdated', detail };
  }
  return { kind, subject, problem: 'incompatible', detail: 'ours cannot read what the registered version wrote' };
};

/** The level that new versions of a subject are held to: its own, else the registry's; null where neither says one. */
const compatibilityOf = async (settings: RegistrySettings, subject: string): Promise<string | null> =>
  levelIn(await askRegistry(settings, 'GET', `/config/${encodeURIComponent(subject)}`)) ??
  levelIn(await askRegistry(settings, 'GET', '/config'));

const levelIn = ({ status, body }: RegistryAnswer): string | null => {
  const level = body['compatibilityLevel'] ?? body['compatibility'];
  return status === 200 && typeof level === 'string' ? level.toUpperCase() : null;
};
