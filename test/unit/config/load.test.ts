import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeConfig } from '../../../src/config/describe.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { secretsOf } from '../../../src/config/secrets.ts';
import { OperatingError } from '../../../src/errors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string, name = 'countersign.yaml'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function refusal(options: Parameters<typeof loadConfig>[0]): string {
  try {
    loadConfig(options);
  } catch (error) {
    expect(error).toBeInstanceOf(OperatingError);
    expect((error as OperatingError).code).toBe('CONFIG_INVALID');
    return (error as OperatingError).message;
  }
  throw new Error('it was accepted');
}

describe('where values come from', () => {
  test('without a file and an environment every default stands', () => {
    const { config, warnings } = loadConfig({ env: {} });
    expect(config.kafka.brokers).toEqual([]);
    expect(config.kafka.session_timeout_ms).toBe(30_000);
    expect(config.processing.batch_records).toBe(1_000);
    expect(warnings).toEqual([]);
  });

  test('the environment wins over the file, key by key', () => {
    const path = file('kafka:\n  brokers: [a:1]\n  group: from-file\nredis:\n  url: redis://file:1\n');
    const { config } = loadConfig({ file: path, env: { COUNTERSIGN_BROKERS: 'b:2, c:3' } });
    expect(config.kafka.brokers).toEqual(['b:2', 'c:3']);
    expect(config.kafka.group).toBe('from-file');
    expect(config.redis.url).toBe('redis://file:1');
  });

  test('COUNTERSIGN_CONFIG names the file where the caller does not', () => {
    const path = file('log: { level: debug }');
    expect(loadConfig({ env: { COUNTERSIGN_CONFIG: path } }).config.log.level).toBe('debug');
  });

  test('an empty variable is one that is not set', () => {
    expect(loadConfig({ env: { COUNTERSIGN_GROUP: '' } }).config.kafka.group).toBe('countersign');
  });

  test.each([
    ['yes', true],
    ['1', true],
    ['TRUE', true],
    ['off', false],
    ['0', false],
  ])('a switch takes %s', (text, expected) => {
    expect(loadConfig({ env: { COUNTERSIGN_KAFKA_TLS: text } }).config.kafka.tls.enabled).toBe(expected);
  });

  test('references to the environment and to files beside the config are followed, anywhere', () => {
    writeFileSync(join(folder, 'password'), 'from a file\n');
    const path = file(`
kafka:
  sasl: { mechanism: scram-sha-256, username: { env: KAFKA_USER }, password: { file: password } }
seals: { keys: [{ id: k1, secret: { env: SEAL } }] }
`);
    const { config } = loadConfig({ file: path, env: { KAFKA_USER: 'svc', SEAL: 'sixteen characters' } });
    expect(config.kafka.sasl).toMatchObject({ username: 'svc', password: 'from a file' });
    expect(config.seals.keys[0]?.secret).toBe('sixteen characters');
  });

  test('a secret may be in the file that <NAME>_FILE names', () => {
    const path = file('hush\n', 'redis-password');
    expect(loadConfig({ env: { COUNTERSIGN_REDIS_PASSWORD_FILE: path } }).config.redis.password).toBe('hush');
  });

  test('endpoints are handed on as admission takes them, and no error shows their secrets', () => {
    const text = (secret: string) =>
      `endpoints: [{ provider: shopify, account: shop-1, secrets: [${secret}], shop_domain: shop.example }]`;
    const { endpoints, config } = loadConfig({ file: file(text('hunter2')), env: {} });
    expect(endpoints).toMatchObject([{ provider: 'shopify', account: 'shop-1', endpoint: 'default' }]);
    expect(secretsOf(config)).toEqual(['hunter2']);
    const message = refusal({ file: file(text('{ value: hunter2, form: x }')), env: {} });
    expect(message).toContain('endpoints[0].secrets[0]');
    expect(message).not.toContain('hunter2');
  });

  test('the configuration cannot be changed afterwards', () => {
    const { config } = loadConfig({ env: {} });
    expect(() => Object.assign(config.kafka, { group: 'other' })).toThrow(TypeError);
  });
});

describe('what is refused', () => {
  test('a wrong value names the key, its variable, what it got and what it wants', () => {
    expect(refusal({ env: { COUNTERSIGN_PARTITIONS: 'many' } })).toContain(
      'kafka.partitions (COUNTERSIGN_PARTITIONS): got "many", wants a whole number from 1 to 10000',
    );
  });

  test('everything that is wrong is told at once', () => {
    const message = refusal({ env: { COUNTERSIGN_BROKERS: 'nowhere', COUNTERSIGN_LOG_LEVEL: 'loud' } });
    expect(message).toContain('kafka.brokers[0]: got "nowhere"');
    expect(message).toContain('log.level (COUNTERSIGN_LOG_LEVEL): got "loud"');
  });

  test('an unknown key is refused with the one that was likely meant', () => {
    expect(refusal({ file: file('kafka: { broker: [a:1] }'), env: {} })).toContain(
      'kafka.broker: no such key; is kafka.brokers meant?',
    );
  });

  test.each([
    [
      { COUNTERSIGN_HEARTBEAT_INTERVAL_MS: '30000' },
      'kafka.heartbeat_interval_ms',
      'less than kafka.session_timeout_ms (30000)',
    ],
    [
      { COUNTERSIGN_SESSION_TIMEOUT_MS: '60000' },
      'kafka.session_timeout_ms',
      'less than kafka.rebalance_timeout_ms (60000)',
    ],
    [{ COUNTERSIGN_LIMIT_RECORD_BYTES: '8000000' }, 'kafka.fetch_max_bytes', 'at least limits.record_bytes (8000000)'],
    [
      { COUNTERSIGN_SASL_MECHANISM: 'plain', COUNTERSIGN_SASL_USERNAME: 'u' },
      'kafka.sasl.password',
      'the mechanism is plain',
    ],
    [{ COUNTERSIGN_SASL_MECHANISM: 'oauthbearer' }, 'kafka.sasl.token_url', 'the mechanism is oauthbearer'],
    [{ COUNTERSIGN_REDIS_URL: 'redis://h:1/3', COUNTERSIGN_REDIS_CLUSTER: 'true' }, 'redis.url', 'only database 0'],
    [{ COUNTERSIGN_REDIS_NODES: 'h:1' }, 'redis.nodes', 'unless redis.cluster is on'],
    [{ COUNTERSIGN_SEALS: 'required' }, 'seals.keys', 'at least one key'],
    [{ COUNTERSIGN_BACKOFF_MIN_MS: '40000' }, 'processing.backoff_min_ms', 'at most processing.backoff_max_ms (30000)'],
    [{ COUNTERSIGN_REGISTRY_USERNAME: 'u' }, 'registry.password', 'registry.username is set'],
  ])('%o breaks a rule between keys', (env, key, wants) => {
    const message = refusal({ env });
    expect(message).toContain(`${key} (`);
    expect(message).toContain(wants);
  });

  test('one half of a client certificate asks for the other', () => {
    const cert = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----';
    expect(refusal({ env: { COUNTERSIGN_KAFKA_TLS_CERT: cert } })).toContain(
      'kafka.tls.key (COUNTERSIGN_KAFKA_TLS_KEY)',
    );
  });

  test('what a role needs and nobody gave is named', () => {
    const message = refusal({ env: {}, needs: ['kafka.brokers', 'redis.url'] });
    expect(message).toContain('kafka.brokers (COUNTERSIGN_BROKERS): got nothing, wants host:port');
    expect(message).toContain('redis.url (COUNTERSIGN_REDIS_URL): got nothing');
  });

  test('a reference that leads nowhere names its key and its target', () => {
    const path = file('redis: { password: { env: NOT_THERE } }\nregistry: { password: { file: ./absent } }');
    const message = refusal({ file: path, env: {} });
    expect(message).toContain('redis.password: the environment variable NOT_THERE is not set');
    expect(message).toContain('registry.password: cannot read the file ./absent (ENOENT)');
  });

  test('a file that is no YAML says where, without quoting it', () => {
    const message = refusal({ file: file('redis:\n  password: "hunter2\n'), env: {} });
    expect(message).toContain('line');
    expect(message).not.toContain('hunter2');
  });

  test('no error shows a secret, nor the credentials of a URL', () => {
    const message = refusal({
      env: {
        COUNTERSIGN_SEALS_KEYS: '[{"id":"k","secret":"too short"}]',
        COUNTERSIGN_REDIS_URL: 'http://user:hunter2@host:1',
        COUNTERSIGN_KAFKA_TLS_KEY: 'hunter3',
      },
    });
    expect(message).toContain('(hidden)');
    expect(message).not.toMatch(/too short|hunter/);
  });
});

describe('what is only warned of', () => {
  test('a variable that means nothing but nearly something', () => {
    expect(loadConfig({ env: { COUNTERSIGN_BROKER: 'a:1' } }).warnings).toEqual([
      'COUNTERSIGN_BROKER means nothing; is COUNTERSIGN_BROKERS meant?',
    ]);
  });

  test('a password that would go over the wire in the clear', () => {
    const env = { COUNTERSIGN_SASL_MECHANISM: 'plain', COUNTERSIGN_SASL_USERNAME: 'u', COUNTERSIGN_SASL_PASSWORD: 'p' };
    expect(loadConfig({ env }).warnings.join()).toContain('in the clear');
    expect(loadConfig({ env: { ...env, COUNTERSIGN_KAFKA_TLS: 'true' } }).warnings).toEqual([]);
  });
});

describe('what is printed at start', () => {
  const env = {
    COUNTERSIGN_BROKERS: 'a:1,b:2',
    COUNTERSIGN_REDIS_URL: 'redis://svc:url-secret@host:6379',
    COUNTERSIGN_REDIS_PASSWORD: 'redis-secret',
    COUNTERSIGN_SASL_MECHANISM: 'scram-sha-512',
    COUNTERSIGN_SASL_USERNAME: 'svc',
    COUNTERSIGN_SASL_PASSWORD: 'sasl-secret',
    COUNTERSIGN_SEALS_KEYS: '[{"id":"k1","secret":"seal-secret-seal-secret"}]',
  };

  test('every key with its value, secrets hidden', () => {
    const printed = describeConfig(loadConfig({ env }).config);
    expect(printed).toMatchObject({
      'kafka.brokers': 'a:1, b:2',
      'redis.url': 'redis://(hidden)@host:6379',
      'redis.password': '(hidden)',
      'kafka.sasl.username': 'svc',
      'seals.keys': '1 (hidden)',
    });
    expect(JSON.stringify(printed)).not.toContain('secret"');
    for (const secret of secretsOf(loadConfig({ env }).config)) expect(JSON.stringify(printed)).not.toContain(secret);
  });

  test('the log is told every secret', () => {
    expect([...secretsOf(loadConfig({ env }).config)].sort()).toEqual(
      ['redis-secret', 'sasl-secret', 'seal-secret-seal-secret', 'url-secret'].sort(),
    );
  });
});
