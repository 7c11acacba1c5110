import type { Json, JsonObject, ProviderName } from '../../evaluator/index.ts';
import { isJsonObject } from '../../evaluator/index.ts';
import { readJsonText } from '../../records/json-text.ts';
import type { SandboxAccount } from '../../sandbox/account.ts';
import type { Story } from './stories.ts';

/** The action of an operation, as the service reports it. */
export type Action =
  | { readonly result: JsonObject }
  | {
      readonly error: {
        readonly kind: 'network' | 'declined' | 'unknown';
        readonly http_status?: number;
        readonly body?: Json;
      };
    };

interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_BODY = { 'content-type': 'application/json' };

const REFUND_CREATE = `mutation($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) {
    userErrors { field message }
    refund { id createdAt note totalRefundedSet { shopMoney { amount currencyCode } presentmentMoney { amount currencyCode } } order { id } }
  }
}`;

/** The call that makes a refund, as each provider documents it; `token` is PayPal's. */
const requestOf = (story: Story, account: SandboxAccount, key: string, token: string): Request => {
  const { operation, paymentId, amount, currency } = story;
  switch (account.provider) {
    case 'paypal':
      return {
        path: `/v2/payments/captures/${paymentId}/refund`,
        headers: {
          ...JSON_BODY,
          authorization: `Bearer ${token}`,
          'paypal-request-id': key,
          prefer: 'return=representation',
        },
        body: JSON.stringify({ amount: { value: amount, currency_code: currency }, custom_id: operation }),
      };
    case 'square':
      return {
        path: '/v2/refunds',
        headers: { ...JSON_BODY, authorization: `Bearer ${account.accessToken}` },
        body: JSON.stringify({
          idempotency_key: key,
          payment_id: paymentId,
          amount_money: { amount: Number(amount), currency },
          reason: operation,
        }),
      };
    case 'shopify': {
      const transactions = [{ orderId: paymentId, gateway: 'shopify_payments', kind: 'REFUND', amount }];
      const variables = { key, input: { orderId: paymentId, note: operation, transactions } };
      return {
        path: '/admin/api/2026-04/graphql.json',
        headers: { ...JSON_BODY, 'x-shopify-access-token': account.accessToken },
        body: JSON.stringify({ query: REFUND_CREATE, variables }),
      };
    }
    case 'stripe':
      return {
        path: '/v1/refunds',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Bearer ${account.secretKey}`,
          'idempotency-key': key,
        },
        body: String(new URLSearchParams({ charge: paymentId, amount, 'metadata[operation_id]': operation })),
      };
  }
};

const tokenFor = async (apiBase: string, account: SandboxAccount): Promise<string> => {
  if (account.provider !== 'paypal') return '';
  const basic = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64');
  const answer = await fetch(`${apiBase}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  return ((await answer.json()) as { access_token: string }).access_token;
};

/** A provider's own no. These say no more than that this call was not taken. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && ![401, 408, 409, 429].includes(status);

const actionOf = (status: number, text: string): Action => {
  const read = readJsonText(text);
  const body = read.ok ? read.value : null;
  if (status >= 200 && status < 300 && isJsonObject(body ?? undefined)) return { result: body as JsonObject };
  return { error: { kind: isRefusal(status) ? 'declined' : 'unknown', http_status: status, body } };
};

export type RefundCall = (story: Story, key: string) => Promise<Action>;

/** Calls the sandbox as a payment service calls the providers. An answer that never comes is an error of kind `network`. */
export const createRefundCall = (apiBase: string, accounts: readonly SandboxAccount[]): RefundCall => {
  const of = (provider: ProviderName): SandboxAccount => {
    const found = accounts.find((account) => account.provider === provider);
    if (found === undefined) throw new TypeError(`the sandbox has no account of ${provider}`);
    return found;
  };
  return async (story, key) => {
    const account = of(story.provider);
    try {
      const { path, headers, body } = requestOf(story, account, key, await tokenFor(apiBase, account));
      const answer = await fetch(`${apiBase}${path}`, { method: 'POST', headers, body });
      return actionOf(answer.status, await answer.text());
    } catch {
      return { error: { kind: 'network' } };
    }
  };
};
