import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Admitted } from '../../src/consumers/admit.ts';
import { createAdmission } from '../../src/consumers/admit.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import type { Json, JsonObject, ProviderName } from '../../src/evaluator/index.ts';
import { isJsonObject } from '../../src/evaluator/index.ts';
import { PROVIDERS } from '../../src/providers/index.ts';
import { parseInputRecord } from '../../src/records/parse.ts';
import { shipped } from '../support/contracts.ts';
import {
  secret,
  shopifyEndpoint,
  squareBody,
  squareEndpoint,
  stripeBody,
  stripeEndpoint,
} from '../support/deliveries.ts';
import { paypalBody, paypalEndpoint } from '../support/paypal-deliveries.ts';

const NAMES: readonly ProviderName[] = ['paypal', 'square', 'shopify', 'stripe'];

const GOOD: Readonly<Record<ProviderName, string>> = {
  paypal: paypalBody(),
  square: squareBody(),
  stripe: stripeBody(),
  shopify:
    '{"admin_graphql_api_id":"gid://shopify/Refund/1","order_id":2,"transactions":[{"kind":"refund","status":"success","amount":"1.0","currency":"USD"}],"total_duties_set":{"shop_money":{"currency_code":"USD"}}}',
};

/** Names that a body may well have and no code may trip over. */
const keys = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    'id',
    'data',
    'nodes',
    'edges',
    'refund',
    'status',
  ),
  fc.string({ maxLength: 5 }),
);

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true }),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    fc.string(),
    fc.constantFrom('', 'COMPLETED', 'refund', 'gid://shopify/Refund/1', '9'.repeat(300)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
})).value;

/** Every path inside a value. */
const pathsOf = (value: Json, path: readonly string[] = []): (readonly string[])[] => {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member as Json, [...path, key]))];
};

const replaced = (value: Json, path: readonly string[], by: Json): Json => {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((member, index) => (String(index) === key ? replaced(member, rest, by) : member));
  if (!isJsonObject(value)) return by;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? replaced(member, rest, by) : member]),
  );
};

/** A good body with one value in it replaced by anything. */
const damaged = (name: ProviderName): fc.Arbitrary<Json> => {
  const good = JSON.parse(GOOD[name]) as Json;
  return fc.tuple(fc.constantFrom(...pathsOf(good)), json).map(([path, by]) => replaced(good, path, by));
};

const print = (value: Json): string =>
  JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? Number(member) : member));

const context = { source: { topic: 't', partition: 0, offset: '0' }, timestamp: null };

const trusting = createAdmission({ contracts: shipped, endpoints: [], trustGateway: true, testMode: false });
const checking = createAdmission({
  contracts: shipped,
  endpoints: [
    paypalEndpoint(),
    squareEndpoint([secret('k')]),
    shopifyEndpoint([secret('k')]),
    stripeEndpoint([secret('k')]),
  ],
  trustGateway: false,
  testMode: false,
});

const isAnswer = (answer: Admitted): boolean => {
  if (answer.outcome === 'admitted') {
    return answer.ref.paymentId !== '' && answer.ref.paymentId.length <= 255 && answer.observations.length > 0;
  }
  if (answer.outcome === 'bind') return true;
  return answer.outcome === 'ignored' || (Object.hasOwn(ERROR_CODES, answer.code) && answer.reason.length < 1000);
};

const webhook = (provider: ProviderName, given: object): JsonObject => ({
  kind: 'webhook.received',
  provider,
  account: 'merchant-1',
  endpoint: 'default',
  headers: { 'x-shopify-topic': 'refunds/create' },
  received_at: '2026-09-01T12:00:04Z',
  ...given,
});

const admits = (value: JsonObject, admission = trusting): void => {
  const parsed = parseInputRecord(value);
  if (!parsed.ok) return;
  const answer = admission.admit(parsed.record, context);
  if (!isAnswer(answer)) throw new Error(JSON.stringify(answer).slice(0, 500));
};

describe.each(NAMES)('hostile input of %s', (name) => {
  it('never makes a webhook throw, whatever its body', () => {
    fc.assert(
      fc.property(fc.oneof(damaged(name).map(print), json.map(print), fc.string()), (body) =>
        admits(webhook(name, { body })),
      ),
      { numRuns: 400 },
    );
  });

  it('never makes a webhook of any bytes throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) =>
        admits(webhook(name, { body_base64: Buffer.from(bytes).toString('base64') })),
      ),
      { numRuns: 200 },
    );
  });

  it('is never authentic, and never throws, whatever headers and certificates it brings', () => {
    const header = fc.oneof(
      fc.constantFrom(
        'paypal-transmission-id',
        'paypal-transmission-time',
        'paypal-transmission-sig',
        'paypal-cert-url',
        'x-square-hmacsha256-signature',
        'x-shopify-hmac-sha256',
        'stripe-signature',
        'STRIPE-SIGNATURE',
        '__proto__',
      ),
      fc.string(),
    );
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('t=1788264004,v1=00', 'https://api.paypal.com/v1/notifications/certs/C'),
    );
    const certificates = fc.array(
      fc.oneof(fc.string(), fc.constant('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----')),
    );
    fc.assert(
      fc.property(fc.dictionary(header, text), certificates, (headers, pems) => {
        const parsed = parseInputRecord(webhook(name, { body: GOOD[name], headers, certificates: pems }));
        if (!parsed.ok) return;
        const answer = checking.admit(parsed.record, context);
        expect(answer.outcome).toBe('refused');
        expect(isAnswer(answer)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('never makes a readback, a start or an action throw', () => {
    const common = { operation_id: 'op', provider: name, account: 'merchant-1', payment_id: 'p' };
    fc.assert(
      fc.property(json, fc.oneof(damaged(name), json), (anything, body) => {
        const observed_at = '2026-09-01T12:00:06Z';
        const read = { kind: 'readback.result', ...common, channel: 'refund_readback', observed_at, outcome: 'ok' };
        admits({ ...read, body: print(body) });
        admits({
          ...read,
          channel: 'payment_readback',
          purpose: 'list',
          body: print({ data: { order: body }, refunds: body }),
        });
        const completed_at = observed_at;
        admits({ kind: 'operation.acted', ...common, action: { result: body, completed_at } });
        admits({ kind: 'operation.acted', ...common, action: { error: { kind: 'unknown', body }, completed_at } });
        admits({
          kind: 'operation.started',
          ...common,
          contract: { id: `${name}.refund.completed` },
          created_at: '2026-09-01T12:00:00Z',
          input: { capture_id: anything, payment_id: anything, order_id: anything, charge_id: anything },
        });
      }),
      { numRuns: 300 },
    );
  });

  it('says the same twice', () => {
    fc.assert(
      fc.property(damaged(name), (body) => {
        if (!isJsonObject(body)) return;
        const headers = { 'x-shopify-topic': 'refunds/create' };
        expect(PROVIDERS[name].event(body, headers)).toEqual(PROVIDERS[name].event(body, headers));
      }),
      { numRuns: 100 },
    );
  });
});

describe('a body that names an object’s own machinery', () => {
  it('changes no prototype and reads nothing inherited', () => {
    const body = `{"__proto__":{"type":"refund.updated","event_id":"x"},"constructor":1}`;
    const parsed = parseInputRecord(webhook('square', { body }));
    expect(parsed.ok && trusting.admit(parsed.record, context)).toMatchObject({ code: 'EVENT_MALFORMED' });
    const answer = PROVIDERS.shopify.answer(
      JSON.parse('{"data":{"refund":{"__proto__":{"id":"gid"},"note":"n"}}}'),
      'refund',
    );
    expect(answer).toMatchObject({ outcome: 'refused' });
    expect(({} as { id?: string }).id).toBeUndefined();
  });
});
