import type { EpochMs } from '../../evaluator/index.ts';
import type { ReadError } from '../../ports/provider-reader.ts';
import type { PayPalAccount } from '../account.ts';
import { apiAnswer, type ReadTools, readError } from '../api-call.ts';
import { own, ownText } from '../own.ts';
import { paypalErrorCode } from './normalise.ts';

/** A token is renewed this long before it ends, or (a short one) after nine tenths of its life. */
const EARLY_MS = 60_000;
/** What a token without `expires_in` is good for. */
const DEFAULT_SECONDS = 300;

interface Token {
  readonly value: string;
  readonly renewAt: EpochMs;
}

export type TokenAnswer = { readonly outcome: 'token'; readonly value: string } | ReadError;

type Fetched = { readonly outcome: 'fetched'; readonly token: Token } | ReadError;

/**
 * PayPal's access token (`POST /v1/oauth2/token`, client credentials): kept until shortly before it ends. However many reads
 * need one at the same time, one request is made.
 */
export class PayPalAccessToken {
  readonly #account: PayPalAccount;
  #token: Token | null = null;
  #pending: Promise<Fetched> | null = null;

  constructor(account: PayPalAccount) {
    this.#account = account;
  }

  async get(tools: ReadTools): Promise<TokenAnswer> {
    if (this.#token !== null && tools.now() < this.#token.renewAt)
      return { outcome: 'token', value: this.#token.value };
    this.#pending ??= this.#fetch(tools).finally(() => {
      this.#pending = null;
    });
    const fetched = await this.#pending;
    if (fetched.outcome === 'error') return fetched;
    this.#token = fetched.token;
    return { outcome: 'token', value: fetched.token.value };
  }

  /** The API refused this token. Another read may have renewed it already: then the new one stays. */
  refused(value: string): void {
    if (this.#token?.value === value) this.#token = null;
  }

  async #fetch({ send, now }: ReadTools): Promise<Fetched> {
    const { clientId, clientSecret } = this.#account;
    const answer = apiAnswer(
      await send({
        method: 'POST',
        path: '/v1/oauth2/token',
        headers: {
          accept: 'application/json',
          authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      }),
      now(),
      (body) => ownText(body, 'error') ?? paypalErrorCode(body),
    );
    if (answer.outcome === 'absent') return readError('malformed', 'the token endpoint answered HTTP 404', 404);
    if (answer.outcome === 'error') {
      // RFC 6749 §5.2: wrong client credentials may be told as 400 invalid_client.
      const kind = answer.httpStatus === 400 ? 'auth' : answer.kind;
      return { ...answer, kind, message: `no access token: ${answer.message}` };
    }
    const value = own(answer.body, 'access_token');
    if (typeof value !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(value)) {
      return readError('malformed', 'the token endpoint’s answer has no access_token', answer.status);
    }
    const seconds = own(answer.body, 'expires_in');
    const lifeMs = (typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_SECONDS) * 1000;
    return {
      outcome: 'fetched',
      token: { value, renewAt: now() + Math.max(lifeMs - EARLY_MS, Math.min(lifeMs * 0.9, EARLY_MS)) },
    };
  }
}
