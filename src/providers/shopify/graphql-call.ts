import { isJsonObject, type JsonObject } from '../../evaluator/index.ts';
import type { ReadOutcome } from '../../ports/provider-reader.ts';
import type { ShopifyAccount } from '../account.ts';
import { apiAnswer, type ReadTools, readError } from '../api-call.ts';
import { own, ownList, ownObject, ownText } from '../own.ts';
import { shopifyErrorCode } from './answer.ts';

/** What a query answered: `data`, and the whole body as it came. */
export type GraphqlAnswer =
  | { readonly outcome: 'data'; readonly data: JsonObject; readonly text: string; readonly status: number }
  | Exclude<ReadOutcome, { outcome: 'ok' | 'absent' }>;

/** Where Shopify does not say when there will be room again. */
const DEFAULT_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** (requested − available) / restore rate: when a query of this cost is affordable again. */
const restoreMs = (body: JsonObject): number => {
  const cost = ownObject(ownObject(body, 'extensions') ?? undefined, 'cost') ?? undefined;
  const status = ownObject(cost, 'throttleStatus') ?? undefined;
  const requested = own(cost, 'requestedQueryCost');
  const available = own(status, 'currentlyAvailable');
  const rate = own(status, 'restoreRate');
  if (typeof requested !== 'number' || typeof available !== 'number' || typeof rate !== 'number' || rate <= 0) {
    return DEFAULT_WAIT_MS;
  }
  return Math.min(Math.max(1, Math.ceil(((requested - available) / rate) * 1000)), LONGEST_WAIT_MS);
};

const AUTH_CODES: ReadonlySet<string | null> = new Set(['ACCESS_DENIED', 'UNAUTHORIZED']);

/** Any `errors` make the answer an error, whatever data stands beside them: a field that failed is null there. */
const errorIn = (body: JsonObject, status: number): Extract<GraphqlAnswer, { outcome: 'error' }> | null => {
  const errors = own(body, 'errors');
  if (errors === undefined || errors === null || (Array.isArray(errors) && errors.length === 0)) return null;
  const codes = ownList(body, 'errors').map((error) => ownText(ownObject(error, 'extensions') ?? undefined, 'code'));
  if (codes.includes('THROTTLED')) {
    return readError('rate_limited', 'HTTP 200 THROTTLED', status, restoreMs(body));
  }
  const [code = null] = codes;
  const said = code !== null && /^[A-Z_]{1,64}$/.test(code) ? ` ${code}` : '';
  return readError(
    codes.some((each) => AUTH_CODES.has(each)) ? 'auth' : 'server',
    `HTTP 200 with errors${said}`,
    status,
  );
};

/** `POST /admin/api/{version}/graphql.json`. */
export const queryShopify = async (
  { accessToken, apiVersion }: ShopifyAccount,
  query: string,
  variables: JsonObject,
  { send, now }: ReadTools,
): Promise<GraphqlAnswer> => {
  const answer = apiAnswer(
    await send({
      method: 'POST',
      path: `/admin/api/${apiVersion}/graphql.json`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-shopify-access-token': accessToken,
      },
      body: JSON.stringify({ query, variables }),
    }),
    now(),
    shopifyErrorCode,
  );
  // The whole endpoint is missing: another shop, or a version that has ended. That says nothing about a refund.
  if (answer.outcome === 'absent') return readError('server', 'HTTP 404: there is no such shop or API version', 404);
  if (answer.outcome === 'error') return answer;
  const error = errorIn(answer.body, answer.status);
  if (error !== null) return error;
  const data = own(answer.body, 'data');
  if (!isJsonObject(data)) return readError('malformed', 'body.data: was missing', answer.status);
  return { outcome: 'data', data, text: answer.text, status: answer.status };
};
