import { OperatingError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ProviderHttp } from '../../ports/provider-http.ts';
import type { PayPalAccount } from '../../providers/account.ts';
import { createPayPalPostback } from '../../providers/paypal/postback.ts';
import type { PostbackVerifier } from './authenticate-delivery.ts';
import { TokenBucket } from './token-bucket.ts';

export interface PayPalPostbackOptions {
  readonly accounts: readonly PayPalAccount[];
  /** the API of an account */
  readonly httpOf: (account: PayPalAccount) => ProviderHttp;
  readonly clock: Clock;
}

/** Asks PayPal about deliveries, no faster than the account's rate: whoever sends forged events shall not spend our calls. */
export const createPostbackVerifier = ({ accounts, httpOf, clock }: PayPalPostbackOptions): PostbackVerifier => {
  const asked = new Map(
    accounts.map((account) => {
      const http = httpOf(account);
      const tools = { send: http.send.bind(http), now: () => clock.now() };
      const bucket = new TokenBucket(account.ratePerSecond, account.burst, clock);
      return [account.account, { verify: createPayPalPostback(account, tools), bucket }];
    }),
  );
  return {
    verify: async (delivery, endpoint) => {
      if (endpoint.provider !== 'paypal') return null;
      const account = asked.get(endpoint.account ?? '');
      if (account === undefined) return null;
      if (account.bucket.take() > 0)
        throw new OperatingError('SIGNATURE_UNVERIFIABLE', 'PayPal is asked about as many events as its rate allows');
      const answer = await account.verify(delivery, endpoint);
      if (answer.outcome !== 'error') return answer.outcome === 'signed';
      throw new OperatingError('SIGNATURE_UNVERIFIABLE', `PayPal did not say: ${answer.message}`);
    },
  };
};
