import type { VerdictRecord } from 'countersign';

/** What the service can do about a verdict. */
export interface Steps {
  /** Calls the provider again, with the same operation id and idempotency key, and publishes the answer (`makeRefund` does all of it). */
  callAgain(verdict: VerdictRecord): Promise<unknown>;
  /** Puts it before a person: `countersign review list` shows the same. Nobody calls the provider until they decide. */
  askPerson(verdict: VerdictRecord): Promise<unknown>;
  /** Closes the refund: never to be called again, whatever its caller heard. */
  close(verdict: VerdictRecord): Promise<unknown>;
}

/** Does what a verdict advises. Keep the last revision of each operation, and come here with a higher one alone. */
export const followAdvice = async (verdict: VerdictRecord, steps: Steps): Promise<void> => {
  switch (verdict.advice) {
    case 'wait':
      // The provider is not done, or has not been heard yet. A new key now could refund twice.
      return;
    case 'none':
    case 'do_not_retry':
      await steps.close(verdict);
      return;
    case 'retry_same_key':
      // No live refund is there, and the key makes sure that there will be one at most.
      await steps.callAgain(verdict);
      return;
    case 'ask_person':
      await steps.askPerson(verdict);
      return;
  }
};
