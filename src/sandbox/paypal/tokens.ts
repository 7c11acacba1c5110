import type { AccountOf } from '../account.ts';
import { BoundedMap } from '../bounded-map.ts';
import { basicOf, bearerOf } from '../http/form.ts';
import type { Answer, SandboxRequest, StandTools } from '../stand.ts';

type Account = AccountOf<'paypal'>;

const TOKEN_SECONDS = 32_400;

/** OAuth 2, client credentials: the tokens that were given out, and until when each is good. */
export const tokensOf = ({ draw, clock, world }: StandTools) => {
  const given = new BoundedMap<{ readonly account: Account; readonly until: number }>();
  let count = 0;
  const accounts = world.accounts.filter((one): one is Account => one.provider === 'paypal');
  return {
    issue: (request: SandboxRequest): Answer => {
      const shown = basicOf(request.header('authorization'));
      const account = accounts.find(
        ({ clientId, clientSecret }) => clientId === shown?.user && clientSecret === shown.password,
      );
      if (account === undefined)
        return { status: 401, body: { error: 'invalid_client', error_description: 'Client Authentication failed' } };
      if (new URLSearchParams(request.text).get('grant_type') !== 'client_credentials')
        return { status: 400, body: { error: 'unsupported_grant_type', error_description: 'Grant Type is NULL' } };
      count += 1;
      const token = `A21AA${draw.mixed(`token/${account.account}/${count}`, 60)}`;
      given.set(token, { account, until: clock.now() + TOKEN_SECONDS * 1000 });
      const body = {
        scope: 'https://uri.paypal.com/services/payments/refund',
        access_token: token,
        token_type: 'Bearer',
      };
      return { status: 200, body: { ...body, app_id: 'APP-80W284485P519543T', expires_in: TOKEN_SECONDS } };
    },
    accountOf: (request: SandboxRequest): Account | null => {
      const found = given.get(bearerOf(request.header('authorization')) ?? '');
      return found === undefined || found.until <= clock.now() ? null : found.account;
    },
  };
};
