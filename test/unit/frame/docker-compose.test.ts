import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PORTS } from '../../../scripts/stack/compose.mjs';
import { VERSIONS } from '../../../scripts/stack/paths.mjs';
import { buildProgram } from '../../../src/cli/program.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { signer } from '../../support/handoff.ts';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
const dockerfile = read('Dockerfile');
const services = Object.entries(compose.services);
const roles = services.filter(([, service]) => service.build !== undefined);

/** `${NAME:-default}` as Compose fills it in: with what is given, else with the default. */
const filledIn = (environment: Readonly<Record<string, string>>, given: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):-([^}]*)\}/g, (_, variable: string, otherwise: string) => given[variable] ?? otherwise),
    ]),
  );

describe('Countersign’s roles', () => {
  test('process reads keys of receipts from a folder that it cannot write; process and gateway know the issuers', () => {
    const { config } = signer('ledger', ['charges']);
    const given = {
      COUNTERSIGN_RECEIPTS_KEYS: '/etc/countersign/receipt-keys.json',
      COUNTERSIGN_HANDOFF_ISSUERS: JSON.stringify([config]),
    };
    const told = roles.map(([name, { environment = {}, volumes = [] }]) => {
      const { receipts, handoff } = loadConfig({ env: filledIn(environment, given) }).config;
      return [name, receipts.keys, handoff.issuers.length, volumes];
    });
    const folder = `\${COUNTERSIGN_PROCESS_FILES:-/dev/null}:/etc/countersign:ro`;
    expect(told).toEqual([
      ['topics', undefined, 0, []],
      ['process', given.COUNTERSIGN_RECEIPTS_KEYS, 1, [folder]],
      ['gateway', undefined, 1, []],
      ['readback', undefined, 0, []],
    ]);
  });

  test('there are some, and they wait for what they need', () => {
    expect(roles.map(([name]) => name)).toEqual(['topics', 'process', 'gateway', 'readback']);
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

  test('what they are told of secrets is taken as the configuration has it, by those alone that need it', () => {
    const secrets = {
      COUNTERSIGN_SEALS: 'required',
      COUNTERSIGN_SEALS_KEYS: JSON.stringify([{ id: 'k', secret: 'a-secret-of-sixteen' }]),
      COUNTERSIGN_ENDPOINTS: JSON.stringify([{ provider: 'shopify', account: 'm', secrets: ['s'] }]),
      COUNTERSIGN_ACCOUNTS: JSON.stringify([{ provider: 'square', account: 'm', access_token: 't' }]),
      COUNTERSIGN_GATEWAY_API_KEYS: JSON.stringify([]),
    };
    const told = Object.fromEntries(
      roles.map(([name, { environment = {} }]) => {
        const { config, endpoints } = loadConfig({ env: filledIn(environment, secrets) });
        const { seals, accounts } = config;
        return [name, [seals.mode, endpoints.length, accounts.length, 'COUNTERSIGN_GATEWAY_API_KEYS' in environment]];
      }),
    );
    expect(told).toEqual({
      topics: ['required', 0, 0, false],
      process: ['required', 1, 0, false],
      gateway: ['required', 1, 0, true],
      readback: ['required', 0, 1, false],
    });
  });

  test('run by commands that exist, keep the image’s health check, and answer on ports of their own', () => {
    const commands = buildProgram(() => undefined).commands.map((command) => command.name());
    for (const [name, { command = [], healthcheck }] of roles) {
      expect(commands, name).toContain(command[0]);
      if (name !== 'topics') expect(healthcheck, name).toBeUndefined();
    }
    const ports = roles.flatMap(([, service]) => service.ports ?? []);
    expect(new Set(ports.map((port) => port.split(':')[1])).size).toBe(3);
    expect(dockerfile).toContain('COUNTERSIGN_HTTP_PORT}/healthz');
  });

  test('a readback worker is not started where nobody asks for it: without accounts it would only end', () => {
    expect(compose.services['readback']?.profiles).toEqual(['readback']);
    expect(compose.services['gateway']?.profiles).toEqual(['countersign']);
    const { environment = {} } = compose.services['readback'] ?? {};
    expect(() => loadConfig({ env: filledIn(environment), needs: ['accounts'] })).toThrow('accounts');
  });

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
