import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatingError } from '../errors.ts';
import type { Endpoint } from '../providers/index.ts';
import { endpointsOf } from './endpoints.ts';
import { type Environment, fromEnvironment } from './environment.ts';
import { nearest } from './nearest.ts';
import { describeIssues } from './problems.ts';
import { resolveReferences } from './references.ts';
import { type Config, configSchema } from './schema.ts';
import { settingsOf } from './settings.ts';
import { readYamlDocument } from './yaml-document.ts';

export interface LoadOptions {
  /** a YAML file; without: `COUNTERSIGN_CONFIG`, else the environment alone */
  readonly file?: string | undefined;
  readonly env?: Environment;
  /** keys without a default that the caller cannot do without, like `kafka.brokers` */
  readonly needs?: readonly string[];
}

export interface LoadedConfig {
  /** deeply frozen */
  readonly config: Config;
  /** `config.endpoints` as admission takes them, their certificate files read */
  readonly endpoints: readonly Endpoint[];
  /** sentences worth a log line: variables that mean nothing, a password in the clear */
  readonly warnings: readonly string[];
}

function refuse(problems: readonly string[], file: string | undefined): never {
  const from = file === undefined ? 'The configuration' : `The configuration ${file}`;
  throw new OperatingError(
    'CONFIG_INVALID',
    `${from} is not right:\n${problems.map((line) => `  ${line}`).join('\n')}`,
  );
}

function readFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return refuse([`cannot read it: ${(error as Error).message}`], file);
  }
  const document = readYamlDocument(text);
  return document.ok ? (document.value ?? {}) : refuse(document.problems, file);
}

/** Puts `value` at `key`, making the sections on the way; the file's values elsewhere stay. */
function overlay(target: Record<string, unknown>, key: string, value: unknown): void {
  const parts = key.split('.');
  const last = parts.pop() ?? key;
  let section = target;
  for (const part of parts) {
    const child = section[part];
    const next = typeof child === 'object' && child !== null && !Array.isArray(child) ? { ...child } : {};
    section[part] = next;
    section = next as Record<string, unknown>;
  }
  section[last] = value;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}

function isMissing(config: Config, key: string): boolean {
  const value = key
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], config);
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Variables with our prefix that are no setting, where one that is close exists: most likely a slip of the pen. */
function strayVariables(env: Environment, names: readonly string[]): string[] {
  const known = new Set(['COUNTERSIGN_CONFIG', ...names, ...names.map((name) => `${name}_FILE`)]);
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith('COUNTERSIGN_') || known.has(name)) return [];
    const close = nearest(
      name.slice(12),
      names.map((other) => other.slice(12)),
    );
    return close === null ? [] : [`${name} means nothing; is COUNTERSIGN_${close} meant?`];
  });
}

/**
 * The configuration: the YAML file, over it the environment, over both the schema's rules and defaults. All that is wrong
 * is told at once.
 *
 * @throws OperatingError CONFIG_INVALID; names each key, what it got (never a secret) and what it wants
 */
export function loadConfig({ file, env = process.env, needs = [] }: LoadOptions = {}): LoadedConfig {
  const source = file ?? (env['COUNTERSIGN_CONFIG'] || undefined);
  const settings = settingsOf(configSchema);
  const problems: string[] = [];
  const raw = source === undefined ? {} : readFile(source);
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return refuse(['it should be a map of keys'], source);
  const folder = dirname(source ?? '.');
  const input = resolveReferences(raw, { env, folder }, problems) as Record<string, unknown>;
  const environment = fromEnvironment(settings, env);
  for (const [key, value] of environment.values) overlay(input, key, value);
  problems.push(...environment.problems);

  const parsed = configSchema.safeParse(input, { reportInput: false });
  if (!parsed.success) return refuse([...problems, ...describeIssues(parsed.error.issues, input, settings)], source);
  const config = parsed.data;
  const endpoints = endpointsOf(config.endpoints, folder, problems);
  for (const key of needs) {
    const setting = settings.find((candidate) => candidate.key === key);
    if (setting !== undefined && isMissing(config, key))
      problems.push(`${key} (${setting.env}): got nothing, wants ${setting.wants}`);
  }
  if (problems.length > 0) return refuse(problems, source);

  const warnings = strayVariables(
    env,
    settings.map((setting) => setting.env),
  );
  if (config.kafka.sasl?.mechanism === 'plain' && !config.kafka.tls.enabled) {
    warnings.push(
      'kafka.sasl.mechanism is plain without kafka.tls.enabled: the password goes over the wire in the clear',
    );
  }
  return { config: deepFreeze(config), endpoints, warnings };
}
