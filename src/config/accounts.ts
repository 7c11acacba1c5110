import type { Account } from '../providers/account.ts';
import type { AccountConfig } from './account-schema.ts';
import { apiBaseOf } from './api-base.ts';

/** Calls a second that each provider bears from one account without complaint; Shopify counts cost, about 50 points a read. */
const RATES = { paypal: 10, square: 10, shopify: 2, stripe: 20 } as const;

/** An account as the readers take it, what was left out filled in. */
export const accountOf = (config: AccountConfig): Account => {
  const ratePerSecond = config.rate_per_second ?? RATES[config.provider];
  const base = {
    account: config.account,
    apiBase: apiBaseOf(config),
    concurrency: config.concurrency,
    ratePerSecond,
    burst: config.burst ?? Math.max(1, Math.ceil(ratePerSecond)),
  };
  switch (config.provider) {
    case 'paypal':
      return { ...base, provider: 'paypal', clientId: config.client_id, clientSecret: config.client_secret };
    case 'square':
      return { ...base, provider: 'square', accessToken: config.access_token, apiVersion: config.api_version };
    case 'shopify':
      return { ...base, provider: 'shopify', accessToken: config.access_token, apiVersion: config.api_version };
    case 'stripe':
      return {
        ...base,
        provider: 'stripe',
        secretKey: config.secret_key,
        apiVersion: config.api_version,
        connectedAccount: config.connected_account ?? null,
      };
  }
};
