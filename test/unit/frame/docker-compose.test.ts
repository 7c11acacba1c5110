import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PORTS } from '../../../scripts/stack/compose.mjs';
import { VERSIONS } from '../../../scripts/stack/paths.mjs';
import { loadConfig } from '../../../src/config/load.ts';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
const dockerfile = read('Dockerfile');
const services = Object.entries(compose.services);
const roles = services.filter(([, service]) => service.build !== undefined);

/** `${NAME:-default}` as Compose fills it in where NAME is not set. */
const filledIn = (environment: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  );

describe('Countersign’s roles', () => {
  test('there are some, and they wait for what they need', () => {
    expect(roles.map(([name]) => name)).toEqual(expect.arrayContaining(['topics', 'process']));
    for (const [name, { depends_on: needs }] of roles) {
      expect(Object.keys(needs ?? {}), name).not.toEqual([]);
      for (const needed of Object.keys(needs ?? {})) expect(Object.keys(compose.services)).toContain(needed);
    }
  });

  test.each(roles)(
    '%s has an environment that the config schema takes, without a word',
    (_name, { environment = {} }) => {
      const { config, warnings } = loadConfig({ env: filledIn(environment), needs: ['kafka.brokers', 'redis.url'] });
      expect(warnings).toEqual([]);
      expect(config.http.host).toBe('0.0.0.0');
    },
  );

  test.each(roles)('%s looks for each server where Compose has it', (_name, { environment = {} }) => {
    const { config } = loadConfig({ env: filledIn(environment) });
    expect(compose.services['kafka']?.environment?.['KAFKA_ADVERTISED_LISTENERS']).toContain(
      `INSIDE://${config.kafka.brokers[0]}`,
    );
    const hosts = [config.redis.url, config.registry.url].map((url) => new URL(url ?? 'none:').hostname);
    for (const host of hosts) expect(Object.keys(compose.services)).toContain(host);
  });
});

describe('the servers', () => {
  test('are those of the stack, in the same versions', () => {
    expect(compose.services['kafka']?.image).toBe(`apache/kafka:${VERSIONS.kafka}`);
    expect(compose.services['registry']?.image).toContain(`:${VERSIONS.registry}`);
    expect(read('scripts/stack/kafka-pom.xml')).toContain(`<version>${VERSIONS.kafka}</version>`);
  });

  test('listen on the loopback, on the ports that the tests look for', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const [name, port] of Object.entries(PORTS)) {
      expect(compose.services[name]?.ports?.[0], name).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port}:`));
    }
    expect(compose.services['kafka']?.environment?.['KAFKA_ADVERTISED_LISTENERS']).toContain(
      `OUTSIDE://127.0.0.1:${PORTS.kafka}`,
    );
  });

  test('Redis neither evicts nor forgets', () => {
    expect(compose.services['redis']?.command?.join(' ')).toMatch(/--maxmemory-policy noeviction --appendonly yes/);
  });

  test('all have a health check', () => {
    for (const [name, { healthcheck, build }] of services) {
      if (build === undefined) expect(healthcheck?.test, name).toBeDefined();
    }
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });
});

test('every image is pinned to a version', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? '');
  const images = services.map(([, { image = '' }]) => image);
  for (const image of [...bases, ...images]) expect(image).toMatch(/:\d+\.\d+\.\d+/);
});

test('the image does not run as root', () => {
  expect(dockerfile).toMatch(/^USER (?!root)\w+$/m);
});

test('the image copies nothing that .dockerignore keeps out', () => {
  const kept = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
    (sources ?? '').split(' '),
  );
  expect(copied.filter((source) => !kept.includes(source))).toEqual([]);
});
