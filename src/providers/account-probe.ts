import type { Json, JsonObject } from '../evaluator/index.ts';
import type { ReadError } from '../ports/provider-reader.ts';
import type { Account, ShopifyAccount } from './account.ts';
import { apiAnswer, type ReadTools, readError } from './api-call.ts';
import { own, ownList, ownObject, ownText } from './own.ts';
import { PayPalAccessToken } from './paypal/access-token.ts';
import { queryShopify } from './shopify/graphql-call.ts';
import { squareErrorCode } from './square/normalise.ts';
import { stripeErrorCode } from './stripe/normalise.ts';

/** Whether a provider takes an account's credentials, by a call that reads at most one refund. */
export type AccountProbe =
  /** `remarks`: what will hurt all the same, a sentence each */
  { readonly outcome: 'accepted'; readonly remarks: readonly string[] } | ReadError;

const accepted = (remarks: readonly string[] = []): AccountProbe => ({ outcome: 'accepted', remarks });

const get = async (
  path: string,
  headers: Readonly<Record<string, string>>,
  errorCode: (body: Json) => string | null,
  { send, now }: ReadTools,
): Promise<AccountProbe> => {
  const call = { method: 'GET', path, headers: { accept: 'application/json', ...headers } } as const;
  const answer = apiAnswer(await send(call), now(), errorCode);
  if (answer.outcome === 'error') return answer;
  // The list is there even where no refund is: without it somebody else answers at that address.
  return answer.outcome === 'body' ? accepted() : readError('malformed', 'HTTP 404: there is no such API', 404);
};

const SHOP_QUERY = '{ shop { myshopifyDomain } currentAppInstallation { accessScopes { handle } } }';

const scopesIn = (data: JsonObject): readonly (string | null)[] =>
  ownList(ownObject(data, 'currentAppInstallation') ?? undefined, 'accessScopes').map((scope) =>
    ownText(scope, 'handle'),
  );

const shopRemarks = ({ apiBase }: ShopifyAccount, data: JsonObject): string[] => {
  const domain = ownText(own(data, 'shop'), 'myshopifyDomain');
  const { hostname } = new URL(apiBase);
  const remarks: string[] = [];
  if (domain !== null && hostname.endsWith('.myshopify.com') && domain !== hostname)
    remarks.push(`the shop at ${hostname} calls itself ${domain}`);
  // Shopify shows an app the orders of the last 60 days, and older ones with this scope alone.
  if (!scopesIn(data).includes('read_all_orders'))
    remarks.push('without the scope read_all_orders, refunds of orders older than 60 days cannot be read');
  return remarks;
};

const probeShopify = async (account: ShopifyAccount, tools: ReadTools): Promise<AccountProbe> => {
  const answer = await queryShopify(account, SHOP_QUERY, {}, tools);
  if (answer.outcome === 'error') return answer;
  const scopes = scopesIn(answer.data);
  if (!scopes.some((scope) => scope === 'read_orders' || scope === 'write_orders'))
    return readError('auth', 'the token lacks the scope read_orders', answer.status);
  return accepted(shopRemarks(account, answer.data));
};

/**
 * Asks the cheapest question that needs the account's credentials and the right to read refunds: PayPal's access token, one
 * refund of Square's or Stripe's list, the scopes of Shopify's app. Never rejects on what a provider does.
 */
export const probeAccount = async (account: Account, tools: ReadTools): Promise<AccountProbe> => {
  switch (account.provider) {
    case 'paypal': {
      const token = await new PayPalAccessToken(account).get(tools);
      return token.outcome === 'error' ? token : accepted();
    }
    case 'square': {
      const { accessToken, apiVersion } = account;
      const headers = { authorization: `Bearer ${accessToken}`, 'square-version': apiVersion };
      return get('/v2/refunds?limit=1', headers, squareErrorCode, tools);
    }
    case 'shopify':
      return probeShopify(account, tools);
    case 'stripe': {
      const { secretKey, apiVersion, connectedAccount } = account;
      const onBehalf = connectedAccount === null ? {} : { 'stripe-account': connectedAccount };
      const headers = { authorization: `Bearer ${secretKey}`, 'stripe-version': apiVersion, ...onBehalf };
      return get('/v1/refunds?limit=1', headers, stripeErrorCode, tools);
    }
  }
};
