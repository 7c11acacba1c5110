import { createHmac } from 'node:crypto';
import type { Json, JsonObject } from '../../evaluator/index.ts';
import type { AccountOf } from '../account.ts';
import { Allowance } from '../allowance.ts';
import type { Fault } from '../scenario-schema.ts';
import type { Answer, SandboxRequest, Stand, StandTools } from '../stand.ts';
import { callOf, createGraphql, orderIdIn, readQuery, refundIdIn } from './graphql.ts';
import { queryCost } from './query-cost.ts';
import { shopifyEvents } from './webhook.ts';

type Account = AccountOf<'shopify'>;

/** The Standard plan: points at once, and restored a second. */
const MAXIMUM = 2_000;
const RESTORED_PER_SECOND = 100;

const throttledBy = (requested: number, allowance: Allowance): JsonObject => ({
  requestedQueryCost: requested,
  actualQueryCost: requested,
  throttleStatus: {
    maximumAvailable: allowance.maximum,
    currentlyAvailable: Math.floor(allowance.available),
    restoreRate: allowance.restoredPerSecond,
  },
});

const throttled = (cost: JsonObject): Answer => ({
  status: 200,
  body: {
    errors: [
      {
        message: 'Throttled',
        extensions: { code: 'THROTTLED', documentation: 'https://shopify.dev/api/usage/rate-limits' },
      },
    ],
    extensions: { cost: { ...cost, actualQueryCost: null } },
  },
});

const fault = (kind: Exclude<Fault, 'reset' | 'html'>): Answer => {
  switch (kind) {
    case 'rate_limited':
      return throttled({
        requestedQueryCost: 100,
        throttleStatus: { maximumAvailable: MAXIMUM, currentlyAvailable: 0, restoreRate: RESTORED_PER_SECOND },
      });
    case 'unavailable':
      return { status: 503, body: { errors: 'Service Unavailable' } };
    case 'error':
      return {
        status: 200,
        body: {
          errors: [
            {
              message: 'Internal error. Looks like something went wrong on our end.',
              extensions: { code: 'INTERNAL_SERVER_ERROR' },
            },
          ],
        },
      };
    case 'unauthorized':
      return {
        status: 401,
        body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
      };
  }
};

/** Shopify: the Admin API's GraphQL with its cost, webhooks signed over the body alone. */
export const createShopifyStand = (tools: StandTools): Stand<'shopify'> => {
  const { world, draw, clock } = tools;
  const accounts = world.accounts.filter((one): one is Account => one.provider === 'shopify');
  const allowances = new Map(
    accounts.map(({ account }) => [account, new Allowance(MAXIMUM, RESTORED_PER_SECOND, clock)]),
  );
  const answerOf = createGraphql(tools);

  const run = async (request: SandboxRequest, account: Account): Promise<Answer> => {
    const version = request.params['version'] ?? '';
    if (!/^(\d{4}-(01|04|07|10)|unstable)$/.test(version)) return { status: 404, body: { errors: 'Not Found' } };
    const query = readQuery(request.text);
    if ('errors' in query) return { status: 200, body: { errors: query.errors as Json } };
    const cost = queryCost(query.document);
    const allowance = allowances.get(account.account);
    if (allowance === undefined) throw new TypeError('an account without an allowance');
    if (allowance.take(cost) > 0) return throttled(throttledBy(cost, allowance));
    const answer = await answerOf(query, account, version);
    return { status: 200, body: { ...answer, extensions: { cost: throttledBy(cost, allowance) } } };
  };

  return {
    provider: 'shopify',
    routes: [
      {
        method: 'POST',
        url: '/admin/api/:version/graphql.json',
        call: ({ text }) => callOf(text),
        paymentOf: ({ text }) => orderIdIn(text) ?? world.refund('shopify', refundIdIn(text) ?? '')?.payment.id ?? null,
        aboutOf: ({ text }) => refundIdIn(text),
        handle: { by: 'account', run },
      },
    ],
    accountOf: (request) => {
      const token = request.header('x-shopify-access-token');
      return accounts.find(({ accessToken }) => accessToken === token) ?? null;
    },
    fault,
    eventsOf: (change) => shopifyEvents(change, draw),
    sign: ({ id, type, body, at }, { appSecret, shopDomain }, { name }) => ({
      'x-shopify-topic': type,
      'x-shopify-hmac-sha256': createHmac('sha256', appSecret).update(body).digest('base64'),
      'x-shopify-shop-domain': shopDomain,
      'x-shopify-api-version': '2026-01',
      'x-shopify-webhook-id': draw.uuid(name.replace(/\/\d+$/, '')),
      'x-shopify-event-id': id,
      'x-shopify-triggered-at': new Date(at).toISOString(),
    }),
    forged: (account) => ({ ...account, appSecret: 'a secret of somebody else' }),
  };
};
