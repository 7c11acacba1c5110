import type { Timers } from '../../ports/timers.ts';
import type { Action, RefundCall } from './provider-calls.ts';
import type { Story } from './stories.ts';

export interface PaymentServiceOptions {
  /** Countersign's operations API */
  readonly countersign: string;
  /** null: Countersign asks this machine's own user for none */
  readonly apiKey: string | null;
  readonly call: RefundCall;
  readonly timers: Timers;
  /** hears of each step, in words */
  readonly did: (operation: string, what: string) => void;
}

const ACCOUNT = 'merchant-1';
/** How long the service waits before it tries again. */
const PAUSE_MS = 3_000;

const post = async (url: string, apiKey: string | null, body: object): Promise<void> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(body),
  });
  if (answer.status !== 202)
    throw new Error(`Countersign answered ${answer.status} to the payment service: ${await answer.text()}`);
};

const inWords = (action: Action): string => {
  if ('result' in action) return 'has an answer';
  const { kind, http_status: status } = action.error;
  return kind === 'network' ? 'lost the answer' : `was ${kind} (HTTP ${status ?? 'none'})`;
};

/** A small payment service: says what it means to refund, calls the provider, says what it heard. */
export const createPaymentService = ({ countersign, apiKey, call, timers, did }: PaymentServiceOptions) => {
  const report = (operation: string, action: Action): Promise<void> =>
    post(`${countersign}/v1/operations/${operation}/action`, apiKey, { action });

  return async (story: Story): Promise<void> => {
    const { operation, provider, contract, input, startsAfterMs, onLost, says } = story;
    await timers.wait(startsAfterMs);
    did(operation, says);
    await post(`${countersign}/v1/operations`, apiKey, {
      operation_id: operation,
      provider,
      account: ACCOUNT,
      contract: { id: contract },
      input,
    });
    let action = await call(story, operation);
    did(operation, inWords(action));
    if ('error' in action && action.error.kind === 'network' && onLost === 'retry_with_new_key') {
      await timers.wait(PAUSE_MS);
      action = await call(story, `${operation}-again`);
      did(operation, `${inWords(action)}, under a new key`);
    }
    await report(operation, action);
  };
};
