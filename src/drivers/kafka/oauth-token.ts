import { OperatingError } from '../../errors.ts';

export interface OauthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  readonly timeoutMs: number;
}

/** A token is renewed this long before it ends, so that no broker sees it expire in the middle of a handshake. */
const EARLY_MS = 60_000;

interface Token {
  readonly value: string;
  readonly endsAt: number;
}

/**
 * Fetches an access token with the OAuth 2.0 client credentials grant (RFC 6749 §4.4) and keeps it until shortly before it
 * ends; brokers that connect at the same time share one request. Fails with BROKER_UNAVAILABLE, without the secret.
 */
export const createOauthTokenProvider = (
  client: OauthClient,
  fetchToken: typeof fetch = fetch,
  now: () => number = Date.now,
): (() => Promise<{ value: string }>) => {
  let token: Token | null = null;
  let pending: Promise<Token> | null = null;

  const request = async (): Promise<Token> => {
    const fail = (message: string, cause?: unknown): OperatingError =>
      new OperatingError('BROKER_UNAVAILABLE', `no token for the brokers from ${client.tokenUrl}: ${message}`, {
        cause,
      });
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (client.scope !== undefined) form.set('scope', client.scope);
    const basic = [client.clientId, client.clientSecret].map(encodeURIComponent).join(':');
    let body: unknown;
    try {
      const response = await fetchToken(client.tokenUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: form.toString(),
        signal: AbortSignal.timeout(client.timeoutMs),
      });
      if (!response.ok) throw fail(`it answered HTTP ${response.status}`);
      body = await response.json();
    } catch (cause) {
      throw cause instanceof OperatingError ? cause : fail('it did not answer', cause);
    }
    const { access_token: value, expires_in: seconds } = body as { access_token?: unknown; expires_in?: unknown };
    if (typeof value !== 'string' || value === '') throw fail('its answer has no access_token');
    return { value, endsAt: now() + (typeof seconds === 'number' ? seconds : 300) * 1000 };
  };

  return async () => {
    if (token !== null && now() < token.endsAt - EARLY_MS) return { value: token.value };
    pending ??= request().finally(() => {
      pending = null;
    });
    token = await pending;
    return { value: token.value };
  };
};
