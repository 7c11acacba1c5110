import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAvroEncoder } from '../../src/drivers/kafka/avro-encoder.ts';
import { recordSubjects } from '../../src/drivers/kafka/record-subjects.ts';
import { checkSchemas, registerSchemas } from '../../src/drivers/kafka/registry.ts';
import { askRegistry } from '../../src/drivers/kafka/registry-http.ts';
import { SchemaCache } from '../../src/drivers/kafka/schema-cache.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { decodeInput, type InputKind, schemaIdOf, topicOfKind } from '../../src/records/index.ts';
import { inputExamples } from '../unit/records/examples.ts';

const url = process.env['COUNTERSIGN_REGISTRY_URL'];
if (url === undefined)
  throw new Error('COUNTERSIGN_REGISTRY_URL names no schema registry; `npm run stack -- up` starts one');
const settings = { url, timeout_ms: 10_000, unknown_schema_ttl_ms: 60_000 };
const freshPrefix = (): string => `t${randomUUID().slice(0, 8)}.`;

describe('the schema registry', () => {
  it('takes every record schema, once, and holds them to BACKWARD', async () => {
    const prefix = freshPrefix();
    const missing = await checkSchemas(settings, prefix);
    expect(missing.map(({ problem }) => problem)).toEqual(recordSubjects(prefix).map(() => 'missing'));
    const ids = await registerSchemas(settings, prefix);
    expect(await registerSchemas(settings, prefix)).toEqual(ids);
    expect(await checkSchemas(settings, prefix)).toEqual([]);
    for (const { subject } of recordSubjects(prefix)) {
      const versions = await fetch(`${url}/subjects/${encodeURIComponent(subject)}/versions`);
      expect(await versions.json()).toEqual([1]);
    }
  });

  it('gives back what was written in Avro, and knows no other id', async () => {
    const encoder = createAvroEncoder(await registerSchemas(settings, freshPrefix()));
    const cache = new SchemaCache(settings, systemClock);
    for (const example of inputExamples()) {
      const kind = example.kind as InputKind;
      const bytes = encoder.encode(kind, example);
      await cache.load(schemaIdOf(bytes) ?? 0);
      expect(decodeInput(bytes, topicOfKind(kind), (id) => cache.get(id) ?? null)).toEqual({
        ok: true,
        record: example,
      });
    }
    await cache.load(2_000_000_000);
    expect(cache.get(2_000_000_000)).toBeNull();
  });

  it('tells a schema that breaks its readers, and refuses to register over it', async () => {
    const prefix = freshPrefix();
    const [started] = recordSubjects(prefix);
    if (started === undefined) throw new Error('there is no subject');
    const other = JSON.parse(started.schema) as { fields: { name: string; type: unknown }[] };
    // The registered writer knows no account, which ours has no default for.
    other.fields = other.fields.filter(({ name }) => name !== 'account');
    await askRegistry(settings, 'POST', `/subjects/${encodeURIComponent(started.subject)}/versions`, {
      schema: JSON.stringify(other),
    });
    await askRegistry(settings, 'PUT', `/config/${encodeURIComponent(started.subject)}`, { compatibility: 'BACKWARD' });
    expect(await checkSchemas(settings, prefix)).toContainEqual(
      expect.objectContaining({ kind: 'operation.started', problem: 'incompatible' }),
    );
    await expect(registerSchemas(settings, prefix)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('tells a version that ours can follow, and one whose subject is held to nothing', async () => {
    const prefix = freshPrefix();
    const [started] = recordSubjects(prefix);
    if (started === undefined) throw new Error('there is no subject');
    const older = JSON.parse(started.schema) as { fields: { name: string; type: unknown }[] };
    older.fields = older.fields.filter(({ name }) => name !== 'observe_from');
    const path = encodeURIComponent(started.subject);
    await askRegistry(settings, 'POST', `/subjects/${path}/versions`, { schema: JSON.stringify(older) });
    expect(await checkSchemas(settings, prefix)).toContainEqual(
      expect.objectContaining({ kind: 'operation.started', problem: 'outdated' }),
    );
    await registerSchemas(settings, prefix);
    await askRegistry(settings, 'PUT', `/config/${path}`, { compatibility: 'NONE' });
    expect(await checkSchemas(settings, prefix)).toEqual([
      expect.objectContaining({ kind: 'operation.started', problem: 'compatibility' }),
    ]);
    await registerSchemas(settings, prefix);
    expect(await checkSchemas(settings, prefix)).toEqual([]);
  });
});
