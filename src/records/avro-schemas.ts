import { readFileSync } from 'node:fs';
import { AVRO_PLANS, type RecordKind } from './avro-plan.ts';

/** Where the Avro schemas lie: one `<kind>.avsc` a kind. */
export const RECORD_SCHEMAS_URL = new URL('../../contracts/records/', import.meta.url);

export const RECORD_KINDS = Object.keys(AVRO_PLANS) as readonly RecordKind[];

/** The Avro schema of a kind: its JSON text, as it is registered. */
export const avroSchemaText = (kind: RecordKind): string =>
  readFileSync(new URL(`${kind}.avsc`, RECORD_SCHEMAS_URL), 'utf8');
