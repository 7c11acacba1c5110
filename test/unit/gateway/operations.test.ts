import { afterEach, describe, expect, it } from 'vitest';
import { OperatingError } from '../../../src/errors.ts';
import type { FoundOperation, OperationLookup } from '../../../src/ports/operation-lookup.ts';
import { createApiKey } from '../../../src/producers/gateway/api-key.ts';
import { RECEIVED } from '../../support/deliveries.ts';
import { type GatewayGiven, type RunningGateway, startGateway } from '../../support/gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const full = createApiKey('payments');
const reader = createApiKey('reader');
const narrow = createApiKey('narrow');

const API_KEYS = [
  { id: 'payments', hash: full.hash, scopes: ['operations:write', 'operations:read'] },
  { id: 'reader', hash: reader.hash, scopes: ['operations:read'] },
  { id: 'narrow', hash: narrow.hash, scopes: ['operations:write'], accounts: ['paypal:merchant-2'] },
];

const start = async (given: GatewayGiven = {}): Promise<RunningGateway> => {
  gateway = await startGateway({ config: { gateway: { api_keys: API_KEYS } }, ...given });
  return gateway;
};

const KEY = 'paypal:merchant-1:3C679366HH908993R/op-1';
const STARTED = {
  operation_id: 'op-1',
  provider: 'paypal',
  account: 'merchant-1',
  contract: { id: 'paypal.refund.completed' },
  created_at: '2026-09-01T12:00:00.350Z',
  input: { capture_id: '3C679366HH908993R', amount: '10.00', currency_code: 'USD' },
};
const ACTION = { result: { id: '1JU08902781691411', status: 'PENDING' }, completed_at: '2026-09-01T12:00:01.550Z' };

const bearer = (key = full.key): Record<string, string> => ({ authorization: `Bearer ${key}` });
const send = (running: RunningGateway, body: unknown, path = '/v1/operations', key = full.key): Promise<Response> =>
  running.post(path, typeof body === 'string' ? body : JSON.stringify(body), bearer(key));
const problemOf = async (answer: Response): Promise<Record<string, unknown>> => {
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  return (await answer.json()) as Record<string, unknown>;
};

describe('POST /v1/operations', () => {
  it('publishes the start under its payment and says under which key it can be asked for', async () => {
    const running = await start();
    const answer = await send(running, STARTED);
    expect([answer.status, await answer.json()]).toEqual([
      202,
      {
        operation_id: 'op-1',
        payment_key: 'paypal:merchant-1:3C679366HH908993R',
        key: KEY,
        created_at: STARTED.created_at,
        url: `/v1/operations/${encodeURIComponent(KEY)}`,
      },
    ]);
    expect(running.values('operation-started')).toEqual([{ kind: 'operation.started', ...STARTED }]);
  });

  it('takes the time of the request where created_at is left out', async () => {
    const running = await start();
    const { created_at: _, ...rest } = STARTED;
    await send(running, rest);
    expect(running.values('operation-started')[0]).toMatchObject({ created_at: new Date(RECEIVED).toISOString() });
  });

  it('gives the same answer to the same body again, at once and later, and publishes it once', async () => {
    const running = await start();
    const { created_at: _, ...rest } = STARTED;
    const turned = { ...rest, input: Object.fromEntries(Object.entries(rest.input).reverse()) };
    const answers = await Promise.all([rest, turned, rest].map((body) => send(running, body)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(texts).size).toBe(1);
    expect(await (await send(running, rest)).text()).toBe(texts[0]);
    expect(running.values('operation-started')).toHaveLength(1);
  });

  it.each([
    ['input.amount', { input: { ...STARTED.input, amount: '11.00' } }],
    ['idempotency_key', { idempotency_key: 'another' }],
    ['handoff', { handoff: 'plan' }],
  ])('answers 409 and names %s where the same id comes with another', async (field, change) => {
    const running = await start();
    await send(running, STARTED);
    const answer = await send(running, { ...STARTED, ...change });
    expect(answer.status).toBe(409);
    expect(await problemOf(answer)).toMatchObject({ code: 'OPERATION_CONFLICT', field });
    expect(running.values('operation-started')).toHaveLength(1);
  });

  it('knows of a start that came another way from the state', async () => {
    const known = {
      contract: { id: 'paypal.refund.completed', version: '1.1.0' },
      input: STARTED.input,
      idempotencyKey: 'op-1',
      handoff: null,
      createdAt: '2026-09-01T11:59:59.000Z',
    };
    const lookup: OperationLookup = { start: async () => known, find: async () => [] };
    const running = await start({ lookup });
    const again = await send(running, STARTED);
    expect([again.status, await again.json()]).toMatchObject([202, { created_at: known.createdAt }]);
    expect(running.values('operation-started')).toEqual([]);
    const other = await send(running, { ...STARTED, input: { ...STARTED.input, amount: '9.00' } });
    expect(other.status).toBe(409);
  });

  it('does not wait for a state store that is away', async () => {
    const start_ = () => Promise.reject(new OperatingError('STATE_UNAVAILABLE', 'away'));
    const running = await start({ lookup: { start: start_, find: start_ } });
    expect((await send(running, STARTED)).status).toBe(202);
  });

  it.each([
    [400, 'account', { ...STARTED, account: 'no account' }],
    [400, 'contract', { ...STARTED, contract: 'paypal.refund.completed' }],
    [400, 'created_at', { ...STARTED, created_at: '01/09/2026' }],
    [422, 'contract', { ...STARTED, contract: { id: 'paypal.refund.unknown' } }],
    [422, 'input.amount', { ...STARTED, input: { ...STARTED.input, amount: '10.0' } }],
    [422, 'created_at', { ...STARTED, created_at: '2026-09-01T13:00:00Z' }],
    [400, '', '{"operation_id":'],
    [400, '', '[]'],
    [400, '', ''],
    [400, '', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('answers %d and names the field %j', async (status, field, body) => {
    const running = await start();
    const answer = await send(running, body);
    expect(answer.status).toBe(status);
    const problem = await problemOf(answer);
    expect(problem['field']).toBe(field);
    expect(`${problem['detail']}`).toMatch(/was|should|nested|not JSON/);
    expect(running.values('operation-started')).toEqual([]);
  });

  it('publishes a start again after Kafka did not take it', async () => {
    let isAway = true;
    const written: unknown[] = [];
    const sink = {
      write: async (records: readonly unknown[]) => {
        if (isAway) throw new OperatingError('BROKER_UNAVAILABLE', 'away');
        written.push(...records);
      },
      close: async () => undefined,
    };
    const running = await start({ sink });
    const refused = await send(running, STARTED);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    isAway = false;
    expect((await send(running, STARTED)).status).toBe(202);
    expect(written).toHaveLength(1);
  });
});

describe('a start in the future', () => {
  it.each(['created_at', 'observe_from'])('by its %s is answered 422', async (field) => {
    const running = await start();
    const at = (ms: number): string => new Date(RECEIVED + ms).toISOString();
    expect((await send(running, { ...STARTED, [field]: at(300_000) })).status).toBe(202);
    const answer = await send(running, { ...STARTED, operation_id: 'op-2', [field]: at(301_000) });
    expect(answer.status).toBe(422);
    expect(await problemOf(answer)).toMatchObject({ code: 'CREATED_AT_IN_FUTURE', field });
  });
});

describe('POST /v1/operations/<id>/action', () => {
  it('publishes the answer of an operation that came in here by its id alone', async () => {
    const running = await start();
    await send(running, STARTED);
    const answer = await send(running, { action: ACTION }, '/v1/operations/op-1/action');
    expect([answer.status, await answer.json()]).toMatchObject([202, { key: KEY }]);
    expect(running.values('operation-started')[1]).toMatchObject({
      kind: 'operation.acted',
      operation_id: 'op-1',
      payment_id: '3C679366HH908993R',
      action: ACTION,
    });
  });

  it('publishes every answer, since a second refund id is what has to be noticed', async () => {
    const running = await start();
    await send(running, STARTED);
    for (const id of ['R1', 'R2']) {
      const action = { ...ACTION, result: { id } };
      expect((await send(running, { action }, '/v1/operations/op-1/action')).status).toBe(202);
    }
    expect(running.values('operation-started')).toHaveLength(3);
  });

  it('takes the payment from the body where the operation is not known here, else says what it needs', async () => {
    const running = await start();
    const path = `/v1/operations/${encodeURIComponent('op/9')}/action`;
    const named = { provider: 'paypal', account: 'merchant-1', payment_id: 'CAP1' };
    expect((await send(running, { ...named, action: ACTION }, path)).status).toBe(202);
    expect(running.values('operation-started')[0]).toMatchObject({ operation_id: 'op/9' });
    const unknown = await send(running, { action: ACTION }, path);
    expect(unknown.status).toBe(404);
    expect((await problemOf(unknown))['detail']).toContain('give provider, account and payment_id');
    const other = await send(running, { ...named, operation_id: 'op-8', action: ACTION }, path);
    expect([other.status, (await problemOf(other))['field']]).toEqual([400, 'operation_id']);
  });

  it('names the field of an action that is not right', async () => {
    const running = await start();
    await send(running, STARTED);
    const answer = await send(running, { action: { completed_at: 'now' } }, '/v1/operations/op-1/action');
    expect([answer.status, (await problemOf(answer))['field']]).toEqual([400, 'action.completed_at']);
  });
});

describe('GET /v1/operations/<id>', () => {
  const found: FoundOperation = {
    key: KEY,
    operationId: 'op-1',
    provider: 'paypal',
    account: 'merchant-1',
    paymentId: '3C679366HH908993R',
    view: { key: KEY, verdict: { verdict: 'VERIFIED' } },
  };
  const lookup = (all: readonly FoundOperation[]): OperationLookup => ({
    start: async () => null,
    find: async () => all,
  });
  const get = (running: RunningGateway, path: string, key = full.key): Promise<Response> =>
    fetch(`${running.address}${path}`, { headers: bearer(key) });

  it('answers with what the state says', async () => {
    const running = await start({ lookup: lookup([found]) });
    const answer = await get(running, '/v1/operations/op-1');
    expect([answer.status, await answer.json()]).toEqual([200, found.view]);
  });

  it('answers 404, 409 and 501 where there is none, are several, and nothing to ask', async () => {
    const other = { ...found, key: 'paypal:merchant-1:X/op-1' };
    for (const [given, status] of [
      [lookup([]), 404],
      [lookup([found, other]), 409],
      [null, 501],
    ] as const) {
      const running = await start(given === null ? {} : { lookup: given });
      expect((await get(running, '/v1/operations/op-1')).status).toBe(status);
      await running.close();
    }
  });

  it('answers 400 to a payment that is named twice, or not at all', async () => {
    const running = await start({ lookup: lookup([found]) });
    for (const query of ['payment_key=a&payment_key=b', 'payment_key=']) {
      const answer = await get(running, `/v1/operations/op-1?${query}`);
      expect(answer.status).toBe(400);
      expect(await problemOf(answer)).toMatchObject({ field: 'payment_key' });
    }
  });

  it('tells of an operation that is published and not judged yet', async () => {
    const running = await start({ lookup: lookup([]) });
    await send(running, STARTED);
    const answer = await get(running, '/v1/operations/op-1');
    expect([answer.status, await answer.json()]).toMatchObject([200, { key: KEY, verdict: null }]);
  });
});

describe('API keys', () => {
  it.each([
    ['no key', {}],
    ['another scheme', { authorization: 'Basic cGF5bWVudHM6eA==' }],
    ['a key of nobody', bearer(createApiKey('nobody').key)],
    ['another secret of a known id', bearer(createApiKey('payments').key)],
    ['a key with its last character cut', bearer(full.key.slice(0, -1))],
    ['the hash instead of the key', bearer(full.hash)],
    ['a member that every object has', bearer(createApiKey('constructor').key)],
  ])('answers 401 to %s', async (_what, headers) => {
    const running = await start();
    const answer = await running.post('/v1/operations', JSON.stringify(STARTED), headers);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(running.values('operation-started')).toEqual([]);
  });

  it('answers 403 to a key without the scope, and to one of another account', async () => {
    const running = await start();
    expect((await send(running, STARTED, '/v1/operations', reader.key)).status).toBe(403);
    const other = await send(running, STARTED, '/v1/operations', narrow.key);
    expect([other.status, (await problemOf(other))['field']]).toEqual([403, 'account']);
    const own = { ...STARTED, account: 'merchant-2' };
    expect((await send(running, own, '/v1/operations', narrow.key)).status).toBe(202);
  });

  it('tells a key bound to other accounts no more than that there is no such operation', async () => {
    const running = await start({
      lookup: {
        start: async () => null,
        find: async () => [
          {
            key: KEY,
            operationId: 'op-1',
            provider: 'paypal',
            account: 'merchant-1',
            paymentId: '3C679366HH908993R',
            view: {},
          },
        ],
      },
      config: {
        gateway: { api_keys: [{ ...API_KEYS[2], scopes: ['operations:read'] }] },
      },
    });
    const answer = await fetch(`${running.address}/v1/operations/op-1`, { headers: bearer(narrow.key) });
    expect(answer.status).toBe(404);
  });

  it('stand in no log and no answer, nor do their hashes', async () => {
    const running = await start();
    const texts = [
      await (await send(running, STARTED)).text(),
      await (await send(running, STARTED, '/v1/operations', createApiKey('payments').key)).text(),
      await (await send(running, { ...STARTED, account: full.key })).text(),
      running.logged.join(''),
      await running.metrics(),
    ].join('\n');
    for (const key of [full, reader]) {
      expect(texts).not.toContain(key.hash);
    }
    expect(running.logged.join('')).not.toContain(full.key);
  });
});

it('says of itself what it takes, by the schemas of the records', async () => {
  const running = await start();
  const document = (await (await fetch(`${running.address}/openapi.json`)).json()) as {
    openapi: string;
    paths: Record<string, { post?: { requestBody: { content: Record<string, { schema: { required: string[] } }> } } }>;
  };
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths).sort()).toEqual([
    '/v1/handoffs',
    '/v1/handoffs/{id}',
    '/v1/operations',
    '/v1/operations/{id}',
    '/v1/operations/{id}/action',
  ]);
  const schema = document.paths['/v1/operations']?.post?.requestBody.content['application/json']?.schema;
  expect(schema?.required).toEqual(['operation_id', 'provider', 'account', 'contract', 'input']);
});
