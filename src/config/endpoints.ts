import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { OperatingError } from '../errors.ts';
import { instantMs } from '../evaluator/instant.ts';
import type { Endpoint, Secret } from '../providers/index.ts';
import { parseCertificates } from '../providers/paypal/certificate.ts';
import type { EndpointConfig, SecretConfig } from './endpoint-schema.ts';
import { endpointSchema } from './endpoint-schema.ts';
import type { Environment } from './environment.ts';
import { nearest } from './nearest.ts';
import { describeIssues } from './problems.ts';
import { resolveReferences } from './references.ts';
import { configSchema } from './schema.ts';
import { readYamlDocument } from './yaml-document.ts';

const KEYS = ['endpoints', 'test_mode'];

/** One file may serve every command: the keys of other parts are legal here, and read by them. */
const KNOWN_KEYS = Object.keys(configSchema.shape);

/** The part of a configuration file that says how signatures are checked. Other keys are other parts' business. */
const documentSchema = z.object({
  endpoints: z.array(endpointSchema, 'a list of endpoints').default([]),
  test_mode: z.boolean('true or false').default(false),
});

const secretOf = (secret: SecretConfig): Secret => {
  if (typeof secret === 'string') return { value: secret, fromMs: null, toMs: null };
  const { value, from, to } = secret;
  return {
    value,
    fromMs: from === undefined ? null : instantMs(from),
    toMs: to === undefined ? null : instantMs(to),
  };
};

const isPemText = (text: string): boolean => text.includes('-----BEGIN CERTIFICATE-----');

const readPems = (texts: readonly string[], key: string, folder: string, problems: string[]): readonly string[] =>
  texts.flatMap((text, index) => {
    let pem = text;
    if (!isPemText(text)) {
      try {
        pem = readFileSync(resolve(folder, text), 'utf8');
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        problems.push(`${key}[${index}]: got the file ${text} (${code ?? 'unreadable'}), wants a PEM file`);
        return [];
      }
    }
    if (parseCertificates([pem]).length > 0) return [pem];
    problems.push(`${key}[${index}]: got no certificate that can be read, wants PEM`);
    return [];
  });

const endpointOf = (config: EndpointConfig, key: string, folder: string, problems: string[]): Endpoint => {
  const { account = null, endpoint } = config;
  switch (config.provider) {
    case 'paypal': {
      const certificates = readPems(config.certificates, `${key}.certificates`, folder, problems);
      const ca = readPems(config.ca, `${key}.ca`, folder, problems);
      return {
        provider: 'paypal',
        account,
        accountField: null,
        endpoint,
        webhookId: config.webhook_id,
        certificates,
        ca,
      };
    }
    case 'square':
      return {
        provider: 'square',
        account,
        accountField: config.account_field ?? null,
        endpoint,
        signatureKeys: config.signature_keys.map(secretOf),
        notificationUrl: config.notification_url,
        merchantId: config.merchant_id ?? null,
      };
    case 'shopify':
      return {
        provider: 'shopify',
        account,
        accountField: null,
        endpoint,
        secrets: config.secrets.map(secretOf),
        shopDomain: config.shop_domain ?? null,
      };
    case 'stripe':
      return {
        provider: 'stripe',
        account,
        accountField: config.account_field ?? null,
        endpoint,
        secrets: config.secrets.map(secretOf),
        toleranceSeconds: config.tolerance_seconds,
        connectedAccount: config.connected_account ?? null,
      };
  }
};

/**
 * The endpoints that a configuration states, with their certificate files read (relative to `folder`, the config file's).
 * What is wrong goes to `problems`, by key; never a secret.
 */
export const endpointsOf = (
  configs: readonly EndpointConfig[],
  folder: string,
  problems: string[],
): readonly Endpoint[] => {
  const seen = new Map<string, number>();
  return configs.map((config, index) => {
    const name = `${config.provider}/${config.account ?? '(by body)'}/${config.endpoint}`;
    const other = seen.get(name);
    if (other !== undefined)
      problems.push(`endpoints[${index}]: got ${name} again, wants each once (endpoints[${other}])`);
    seen.set(name, index);
    return endpointOf(config, `endpoints[${index}]`, folder, problems);
  });
};

const refuse = (file: string, problems: readonly string[]): never => {
  throw new OperatingError(
    'CONFIG_INVALID',
    `The configuration ${file} is not right:\n${problems.map((line) => `  ${line}`).join('\n')}`,
  );
};

const readDocument = (file: string): object => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(file, [`cannot read it (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`]);
  }
  const document = readYamlDocument(text);
  if (!document.ok) return refuse(file, document.problems);
  const value = document.value ?? {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(file, ['it should be a map of keys']);
  return value;
};

/**
 * Reads the endpoints' secrets from a YAML file: `endpoints` and `test_mode`; any value may be `{ env: NAME }` or
 * `{ file: PATH }`. All that is wrong is told at once.
 *
 * @param areNeeded whether webhooks are to be verified: then a file without endpoints is refused, since none ever would be
 * @throws OperatingError CONFIG_INVALID; names each key, what it got (never a secret) and what it wants
 */
export const loadEndpoints = (
  file: string,
  env: Environment = process.env,
  areNeeded = true,
): { readonly endpoints: readonly Endpoint[]; readonly testMode: boolean } => {
  const raw = readDocument(file);
  const folder = dirname(file);
  const problems: string[] = [];
  for (const key of Object.keys(raw)) {
    if (KNOWN_KEYS.includes(key)) continue;
    const meant = nearest(key, KNOWN_KEYS);
    problems.push(`${key}: no such key${meant === null ? '' : `; is ${meant} meant?`}`);
  }
  const input = resolveReferences(
    Object.fromEntries(Object.entries(raw).filter(([key]) => KEYS.includes(key))),
    { env, folder },
    problems,
  );
  const parsed = documentSchema.safeParse(input, { reportInput: false });
  if (!parsed.success) return refuse(file, [...problems, ...describeIssues(parsed.error.issues, input, SETTINGS)]);
  const endpoints = endpointsOf(parsed.data.endpoints, folder, problems);
  if (areNeeded && parsed.data.endpoints.length === 0)
    problems.push('endpoints: got nothing, wants at least one endpoint, since webhooks are verified by its secrets');
  if (problems.length > 0) return refuse(file, problems);
  return { endpoints, testMode: parsed.data.test_mode };
};

/** What an error may say of a wrong value: nothing below `endpoints`, where secrets stand. */
const SETTINGS = [
  {
    key: 'endpoints',
    env: 'COUNTERSIGN_ENDPOINTS',
    wants: 'a list of endpoints',
    doc: '',
    secret: true,
    type: 'json' as const,
    default: [],
  },
  {
    key: 'test_mode',
    env: 'COUNTERSIGN_TEST_MODE',
    wants: 'true or false',
    doc: '',
    type: 'boolean' as const,
    default: false,
  },
];
