import { z } from 'zod';
import { setting } from './setting.ts';
import { milliseconds, urlOf } from './types.ts';

/** The Confluent-compatible schema registry. Without a URL what we write is JSON. */
export const registrySection = z
  .strictObject({
    url: setting(urlOf('http', 'https').optional(), {
      env: 'COUNTERSIGN_REGISTRY_URL',
      wants: 'an http(s) URL',
      doc: 'Where it answers, path included (Apicurio: …/apis/ccompat/v7). With it, what we write is Avro.',
    }),
    username: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_REGISTRY_USERNAME',
      wants: 'a user name',
      doc: 'For basic authentication.',
    }),
    password: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_REGISTRY_PASSWORD',
      wants: 'a password',
      doc: 'For basic authentication.',
      secret: true,
    }),
    timeout_ms: setting(milliseconds(10).default(5_000), {
      env: 'COUNTERSIGN_REGISTRY_TIMEOUT_MS',
      wants: 'milliseconds, at least 10',
      doc: 'For one question to it; past it the shard pauses and asks again.',
    }),
    unknown_schema_ttl_ms: setting(milliseconds(0).default(60_000), {
      env: 'COUNTERSIGN_REGISTRY_UNKNOWN_SCHEMA_TTL_MS',
      wants: 'milliseconds, at least 0',
      doc: 'How long a schema id that it does not know is taken as unknown without asking again.',
    }),
  })
  .prefault({});
