import { setTimeout as wait } from 'node:timers/promises';
import type { CallProvider } from './refund.ts';

export interface PayPalOptions {
  /** e.g. `https://api-m.sandbox.paypal.com` */
  readonly apiBase: string;
  readonly accessToken: () => Promise<string>;
  /** for one call */
  readonly timeoutMs?: number;
  /** calls until an answer counts as lost; all under one key */
  readonly tries?: number;
  readonly pauseMs?: number;
}

type Action = Awaited<ReturnType<CallProvider>>;
type ActionError = NonNullable<Action['error']>;

/** PayPal decided against it, and would decide a repeat the same way. 401, 408, 409 and 429 decide nothing. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && ![401, 408, 409, 429].includes(status);

const failed = (error: ActionError): Action => ({ error, completed_at: new Date().toISOString() });

const kindOf = (error: unknown): ActionError['kind'] =>
  (error as Error).name === 'TimeoutError' ? 'timeout' : 'network';

/**
 * Calls PayPal to refund a capture (`POST /v2/payments/captures/{id}/refund`). `PayPal-Request-Id` makes a second call with the same
 * key the same refund, so that a lost answer is asked for again, and not decided again. What stays lost is published as lost: a
 * timeout is not a refusal, the money may well have moved.
 */
export const createPayPalCall = (options: PayPalOptions): CallProvider => {
  const { apiBase, accessToken, timeoutMs = 10_000, tries = 3, pauseMs = 1_000 } = options;

  const callOnce: CallProvider = async ({ captureId, amount, currency }, idempotencyKey) => {
    try {
      const answer = await fetch(`${apiBase}/v2/payments/captures/${encodeURIComponent(captureId)}/refund`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await accessToken()}`,
          'content-type': 'application/json',
          'paypal-request-id': idempotencyKey,
          prefer: 'return=representation',
        },
        body: JSON.stringify({ amount: { value: amount, currency_code: currency } }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await answer.text();
      const http_status = answer.status;
      if (answer.ok) return { result: JSON.parse(text), completed_at: new Date().toISOString() };
      return failed({ kind: isRefusal(http_status) ? 'declined' : 'unknown', http_status, body: text.slice(0, 4_000) });
    } catch (error) {
      // An answer that is no JSON says as little as none.
      return failed({ kind: error instanceof SyntaxError ? 'unknown' : kindOf(error) });
    }
  };

  return async (refund, idempotencyKey) => {
    let isAnyLost = false;
    for (let attempt = 1; ; attempt += 1) {
      const action = await callOnce(refund, idempotencyKey);
      if (action.result !== undefined) return action;
      const isDeclined = action.error?.kind === 'declined';
      // The try whose answer was lost may have been the one that moved the money, and this refusal its consequence.
      if (isDeclined && isAnyLost) return { ...action, error: { ...action.error, kind: 'unknown' } };
      if (isDeclined || attempt >= tries) return action;
      isAnyLost = true;
      await wait(pauseMs * 2 ** (attempt - 1));
    }
  };
};
