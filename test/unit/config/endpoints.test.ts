import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { endpointSchema } from '../../../src/config/endpoint-schema.ts';
import { loadEndpoints } from '../../../src/config/endpoints.ts';
import { OperatingError } from '../../../src/errors.ts';
import { identity } from '../../support/certificate-der.ts';

const root = mkdtempSync(join(tmpdir(), 'countersign-endpoints-'));
afterAll(() => rmSync(root, { recursive: true }));

const write = (yaml: string, files: Record<string, string> = {}): string => {
  const folder = mkdtempSync(join(root, 'config-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const file = join(folder, 'endpoints.yaml');
  writeFileSync(file, yaml);
  return file;
};

const refusal = (yaml: string, files: Record<string, string> = {}, env = {}): string => {
  try {
    loadEndpoints(write(yaml, files), env);
  } catch (error) {
    if (error instanceof OperatingError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};

const certificate = identity({ name: 'messageverificationcerts.paypal.com' });

describe('the endpoints of a configuration file', () => {
  it('are read as documented, certificates relative to the file', () => {
    const file = write(
      `endpoints:
  - { provider: paypal, account: merchant-1, endpoint: default, webhook_id: 8PT597110X687430LKGECATA, certificates: [paypal-cert.pem], ca: [ca.pem] }
  - { provider: square, account: merchant-1, endpoint: default, signature_keys: [current, next], notification_url: "https://pay.example/webhooks/square/default" }
  - { provider: shopify, account: merchant-1, endpoint: default, secrets: [current, next] }
  - { provider: stripe, account: merchant-1, endpoint: default, secrets: [{ value: current, from: "2026-01-01T00:00:00Z" }], tolerance_seconds: 300 }
test_mode: true
`,
      { 'paypal-cert.pem': certificate.pem, 'ca.pem': certificate.pem },
    );
    const { endpoints, testMode } = loadEndpoints(file);
    expect(testMode).toBe(true);
    expect(endpoints).toMatchObject([
      {
        provider: 'paypal',
        account: 'merchant-1',
        webhookId: '8PT597110X687430LKGECATA',
        certificates: [certificate.pem],
      },
      { provider: 'square', signatureKeys: [{ value: 'current', fromMs: null, toMs: null }, { value: 'next' }] },
      { provider: 'shopify', secrets: [{ value: 'current' }, { value: 'next' }], shopDomain: null },
      {
        provider: 'stripe',
        secrets: [{ fromMs: Date.parse('2026-01-01T00:00:00Z'), toMs: null }],
        toleranceSeconds: 300,
      },
    ]);
  });

  it('may take any value from the environment or a file', () => {
    const file = write(
      `endpoints:
  - { provider: shopify, account: { env: ACCOUNT }, secrets: [{ env: SECRET }, { value: { file: secret.txt } }] }
  - { provider: paypal, account: a, webhook_id: W, certificates: [{ file: cert.pem }] }
`,
      { 'secret.txt': 'from-file\n', 'cert.pem': certificate.pem },
    );
    const { endpoints } = loadEndpoints(file, { ACCOUNT: 'shop-1', SECRET: 'from-env' });
    expect(endpoints).toMatchObject([
      { account: 'shop-1', endpoint: 'default', secrets: [{ value: 'from-env' }, { value: 'from-file' }] },
      { certificates: [expect.stringContaining('BEGIN CERTIFICATE')] },
    ]);
  });

  it('may be missing where no webhook is verified, beside keys of other parts', () => {
    const none = { endpoints: [], testMode: false };
    expect(loadEndpoints(write('kafka: { brokers: [x] }\n'), {}, false)).toEqual(none);
    expect(loadEndpoints(write(''), {}, false)).toEqual(none);
  });

  it.each(['', '# nothing yet\n', 'kafka: { brokers: [x] }\n', 'endpoints: []\n'])(
    'may not be missing where webhooks are verified: %j',
    (yaml) => {
      expect(refusal(yaml)).toContain('endpoints: got nothing, wants at least one endpoint');
    },
  );

  it('stand beside any key of the whole configuration, and no other', () => {
    const endpoints = 'endpoints: [{ provider: shopify, account: a, secrets: [x] }]\n';
    expect(loadEndpoints(write(`${endpoints}http: { port: 0 }\naccounts: []\n`)).endpoints).toHaveLength(1);
    expect(refusal(`${endpoints}gatway: {}\n`)).toContain('gatway: no such key; is gateway meant?');
    expect(refusal(`${endpoints}whatever: 1\n`)).toMatch(/ {2}whatever: no such key$/);
  });

  it.each([
    [
      'a: &a [x, x]\nb: &b [*a, *a]\n'.concat(
        ...Array.from(
          'bcdefghij',
          (name, index) => `${'cdefghijk'[index]}: &${'cdefghijk'[index]} [*${name}, *${name}, *${name}]\n`,
        ),
      ),
      'aliases',
    ],
    ['endpoints: *nowhere\n', 'names no anchor'],
    ['['.repeat(20_000), ''],
  ])('that YAML cannot unfold are refused by file', (yaml, named) => {
    expect(refusal(yaml)).toMatch(/endpoints\.yaml is not right/);
    expect(refusal(yaml)).toContain(named);
  });

  it('whose reference holds the secret itself do not repeat it', () => {
    const of = (secret: string): string => `endpoints: [{ provider: stripe, account: a, secrets: [${secret}] }]\n`;
    for (const secret of [
      'whsec_MfKQ9r8GKYqrTwjU',
      'MfKQ9r8GKYqr/TwjUPD8ILPZ+Io2',
      '/MfKQ9r8GKYqr/TwjUPD8ILPZIo2',
      'x'.repeat(300),
    ]) {
      expect(refusal(of(`{ env: "${secret}" }`))).toMatch(/secrets\[0\]: \{ env: … \} holds no name of a variable/);
      expect(refusal(of(`{ file: "${secret}" }`))).toMatch(/secrets\[0\]: \{ file: … \} holds no path of a file/);
      for (const kind of ['env', 'file']) expect(refusal(of(`{ ${kind}: "${secret}" }`))).not.toContain(secret);
    }
    expect(refusal(of('{ env: STRIPE_SECRET }'))).toContain('the environment variable STRIPE_SECRET is not set');
    expect(refusal(of('{ file: stripe.txt }'))).toContain('cannot read the file stripe.txt (ENOENT)');
    expect(refusal(of('{ file: ./stripe }'))).toContain('cannot read the file ./stripe (ENOENT)');
  });

  it.each([
    ['endpoints:\n  - { provider: adyen, account: a }', 'endpoints[0].provider'],
    ['endpoints:\n  - { provider: shopify, account: "a b", secrets: [x] }', 'endpoints[0].account'],
    ['endpoints:\n  - { provider: shopify, secrets: [x] }', 'endpoints[0].account'],
    [
      'endpoints:\n  - { provider: square, signature_keys: [x], notification_url: "https://a/b" }',
      'endpoints[0].account',
    ],
    ['endpoints:\n  - { provider: stripe, account_field: merchant_id, secrets: [x] }', 'endpoints[0].account_field'],
    ['endpoints:\n  - { provider: stripe, account: a, account_field: account, secrets: [x] }', 'endpoints[0].account'],
    ['endpoints:\n  - { provider: shopify, account: a, secrets: [] }', 'endpoints[0].secrets'],
    ['endpoints:\n  - { provider: shopify, account: a, secrets: [7] }', 'endpoints[0].secrets[0]'],
    [
      'endpoints:\n  - { provider: shopify, account: a, secrets: [{ value: x, from: never }] }',
      'endpoints[0].secrets[0]',
    ],
    ['endpoints:\n  - { provider: shopify, account: a, secret: x }', 'endpoints[0].secret'],
    [
      'endpoints:\n  - { provider: square, account: a, signature_keys: [x], notification_url: nowhere }',
      'endpoints[0].notification_url',
    ],
    [
      'endpoints:\n  - { provider: stripe, account: a, secrets: [x], tolerance_seconds: -1 }',
      'endpoints[0].tolerance_seconds',
    ],
    ['endpoints:\n  - { provider: paypal, account: a, webhook_id: W, ca: [nowhere.pem] }', 'endpoints[0].ca[0]'],
    ['endpoints:\n  - { provider: paypal, account: a, webhook_id: W, ca: [endpoints.yaml] }', 'endpoints[0].ca[0]'],
    ['endpoints:\n  - { provider: shopify, account: a, secrets: [{ env: MISSING }] }', 'endpoints[0].secrets[0]'],
    [
      'endpoints:\n  - { provider: shopify, account: a, secrets: [x] }\n  - { provider: shopify, account: a, secrets: [y] }',
      'endpoints[1]',
    ],
    ['endpoint: []', 'is endpoints meant?'],
    ['test_mode: perhaps', 'test_mode'],
    ['- 1', 'map of keys'],
    ['endpoints: [', 'endpoints.yaml'],
  ])('%j are refused by name', (yaml, named) => {
    expect(refusal(yaml)).toContain(named);
  });

  it('that cannot be read are refused by file', () => {
    expect(() => loadEndpoints('/nowhere/endpoints.yaml')).toThrow(/cannot read it \(ENOENT\)/);
  });

  it('never show a secret in what is refused', () => {
    const yaml = `endpoints:
  - { provider: shopify, account: "a b", secrets: [TOPSECRET1, { value: TOPSECRET2, from: TOPSECRET3 }], secret: TOPSECRET4 }
  - { provider: stripe, account: a, secrets: TOPSECRET5 }
`;
    expect(refusal(yaml)).not.toMatch(/TOPSECRET/);
  });
});

describe('the page about endpoints', () => {
  const page = readFileSync(new URL('../../../docs/reference/endpoints.md', import.meta.url), 'utf8');

  it('names every key', () => {
    const schemas = endpointSchema.options as readonly { readonly shape: Record<string, unknown> }[];
    const keys = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));
    for (const key of keys) expect(page).toContain(`| \`${key}\` |`);
  });

  it('shows a configuration that is right', () => {
    const yaml = /```yaml\n([^`]+)```/.exec(page)?.[1] ?? '';
    const file = write(yaml, { 'digicert-ca.pem': certificate.pem, 'shopify-secret': 's' });
    expect(loadEndpoints(file, { SQUARE_KEY: 'k', STRIPE_SECRET: 'k' }).endpoints).toHaveLength(4);
  });
});
