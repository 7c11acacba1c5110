import avro from 'avsc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SchemaCache } from '../../../src/drivers/kafka/schema-cache.ts';
import { OperatingError } from '../../../src/errors.ts';
import { FakeRegistry } from './fake-registry.ts';

const SCHEMA: avro.Schema = { type: 'record', name: 'A', namespace: 'n', fields: [{ name: 'a', type: 'string' }] };
const known = { status: 200, body: { schema: JSON.stringify(SCHEMA) } };
const unknown = { status: 404, body: { error_code: 40403, message: 'Schema not found' } };

const failureOf = async (promise: Promise<unknown>): Promise<OperatingError> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OperatingError)) throw new Error(`no operating error: ${error}`);
  return error;
};

describe('SchemaCache', () => {
  let registry: FakeRegistry;
  let now = 0;
  const clock = { now: () => now };
  beforeEach(async () => {
    registry = await FakeRegistry.start();
    now = 1_000_000;
  });
  afterEach(async () => await registry.stop());

  it('asks once, however many wait for the same id, and keeps the answer', async () => {
    registry.reply = () => known;
    const cache = new SchemaCache(registry.settings(), clock);
    expect(cache.get(7)).toBeUndefined();
    await Promise.all(Array.from({ length: 50 }, () => cache.load(7)));
    await cache.load(7);
    expect(registry.asked.map(({ path }) => path)).toEqual(['/apis/schemas/ids/7']);
    const bytes = avro.Type.forSchema(SCHEMA).toBuffer({ a: 'x' });
    expect(cache.get(7)?.read(bytes)).toMatchObject({ a: 'x' });
  });

  it('takes an unknown id as unknown for a while, then asks again', async () => {
    const cache = new SchemaCache(registry.settings(), clock);
    registry.reply = () => unknown;
    await cache.load(9);
    expect(cache.get(9)).toBeNull();
    const asked = registry.asked.length;
    now += 59_999;
    await cache.load(9);
    expect(registry.asked.length).toBe(asked);
    now += 1;
    expect(cache.get(9)).toBeUndefined();
    registry.reply = () => known;
    await cache.load(9);
    expect(cache.get(9)).not.toBeNull();
  });

  it('bounds what it remembers as unknown', async () => {
    const cache = new SchemaCache(registry.settings(), clock, 2);
    registry.reply = () => unknown;
    for (const id of [1, 2, 3]) await cache.load(id);
    expect([1, 2, 3].map((id) => cache.get(id))).toEqual([undefined, null, null]);
  });

  it('does not take a 404 of a wrong URL as an unknown schema', async () => {
    const cache = new SchemaCache(registry.settings(), clock);
    for (const body of ['<html>not here</html>', { error_code: 404, message: 'no such path' }]) {
      registry.reply = () => ({ status: 404, body });
      const error = await failureOf(cache.load(7));
      expect([error.code, error.retryable]).toEqual(['REGISTRY_UNAVAILABLE', true]);
      expect(error.message).toContain("is the URL's path right?");
    }
    expect(cache.get(7)).toBeUndefined();
  });

  it('gives up at its deadline, and the next one asks anew', async () => {
    const cache = new SchemaCache(registry.settings({ timeout_ms: 40 }), clock);
    registry.reply = () => null;
    expect((await failureOf(cache.load(7))).code).toBe('REGISTRY_UNAVAILABLE');
    registry.reply = () => known;
    await cache.load(7);
    expect(cache.get(7)).toBeDefined();
  });

  it('is retryable where the registry is down, fails inside or refuses the credentials', async () => {
    const cache = new SchemaCache(registry.settings({ username: 'u', password: 'hunter2' }), clock);
    for (const status of [500, 503, 401]) {
      registry.reply = () => ({ status, body: { message: 'no' } });
      const error = await failureOf(cache.load(7));
      expect(error.code).toBe('REGISTRY_UNAVAILABLE');
      expect(JSON.stringify([error.message, error.context])).not.toContain('hunter2');
    }
    expect(registry.asked[0]?.authorization).toBe(`Basic ${Buffer.from('u:hunter2').toString('base64')}`);
    const gone = new SchemaCache({ ...registry.settings(), url: 'http://user:hunter2@127.0.0.1:1/apis' }, clock);
    expect((await failureOf(gone.load(7))).message).toMatch(/^schema registry http:\/\/127.0.0.1:1\/apis: /);
  });

  it('reads no values of a schema that is not Avro, and says so', async () => {
    const cache = new SchemaCache(registry.settings(), clock);
    registry.reply = () => ({ status: 200, body: { schemaType: 'JSON', schema: '{"type":"object"}' } });
    await cache.load(7);
    expect(() => cache.get(7)?.read(Buffer.from('{}'))).toThrow('the schema is not Avro');
  });
});
