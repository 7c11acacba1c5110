import { setTimeout as wait } from 'node:timers/promises';
import { type ActedFields, OperatingError, type OperationProducer, type StartedFields } from 'countersign';

type Action = ActedFields['action'];

/** One refund that the business wants. Its id is chosen once, and the same for every try. */
export interface Refund {
  readonly id: string;
  readonly account: string;
  readonly captureId: string;
  /** a decimal string, in PayPal's own form */
  readonly amount: string;
  readonly currency: string;
}

/** Asks the provider for the refund under an idempotency key. Never throws: an answer that is lost is an answer too. */
export type CallProvider = (refund: Refund, idempotencyKey: string) => Promise<Action>;

export interface RefundDeps {
  readonly operations: OperationProducer;
  readonly callProvider: CallProvider;
  readonly now?: () => Date;
  /** milliseconds between two tries to publish */
  readonly pauseMs?: number;
}

/** Publishes until it is kept. A repeat of the same record changes nothing. Throws what trying again does not cure. */
const untilKept = async (publish: () => Promise<unknown>, pauseMs: number): Promise<void> => {
  for (;;) {
    try {
      await publish();
      return;
    } catch (error) {
      if (!(error instanceof OperatingError) || !error.retryable) throw error;
      await wait(pauseMs);
    }
  }
};

/**
 * Makes one refund: what is meant goes out first, then the provider is called, then its answer goes out. After a crash at any
 * point, run it again with the same refund: the start is the same, and the provider knows the idempotency key.
 *
 * @throws OperatingError RECORD_MALFORMED, CONTRACT_UNKNOWN, INPUT_INVALID: the refund is not right, and the provider was not called.
 */
export const makeRefund = async (refund: Refund, deps: RefundDeps): Promise<Action> => {
  const { operations, callProvider, now = () => new Date(), pauseMs = 500 } = deps;
  const { id, account, captureId, amount, currency } = refund;
  const started: StartedFields = {
    operation_id: id,
    provider: 'paypal',
    account,
    contract: { id: 'paypal.refund.completed' },
    created_at: now().toISOString(),
    idempotency_key: id,
    input: { capture_id: captureId, amount, currency_code: currency },
  };
  await untilKept(() => operations.started(started), pauseMs);
  const action = await callProvider(refund, id);
  await untilKept(
    () => operations.acted({ operation_id: id, provider: 'paypal', account, payment_id: captureId, action }),
    pauseMs,
  );
  return action;
};
