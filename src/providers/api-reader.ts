import type { Clock } from '../ports/clock.ts';
import type { ProviderHttp } from '../ports/provider-http.ts';
import type { ProviderReader } from '../ports/provider-reader.ts';
import type { Account } from './account.ts';
import type { ReadApi } from './api-call.ts';
import { readPayPal } from './paypal/read-refund.ts';
import { readShopify } from './shopify/read-refund.ts';
import { readSquare } from './square/read-refund.ts';
import { readStripe } from './stripe/read-refund.ts';

const readApiOf = (account: Account): ReadApi => {
  switch (account.provider) {
    case 'paypal':
      return readPayPal(account);
    case 'square':
      return readSquare(account);
    case 'shopify':
      return readShopify(account);
    case 'stripe':
      return readStripe(account);
  }
};

/** Reads one account's refunds over `http`, which it closes with itself. */
export const createApiReader = (account: Account, http: ProviderHttp, clock: Clock): ProviderReader => {
  const readApi = readApiOf(account);
  return {
    read: (request, { signal, pace }) => {
      let calls = 0;
      return readApi(request, {
        now: () => clock.now(),
        send: async (call) => {
          calls += 1;
          if (calls > 1) await pace();
          if (signal.aborted) return { outcome: 'failed', kind: 'timeout', message: 'the read took too long' };
          return http.send(call, signal);
        },
      });
    },
    close: () => http.close(),
  };
};
