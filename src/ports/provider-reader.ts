import type { JsonObject, ProviderName } from '../evaluator/index.ts';

/** What is to be read: the bound refund or a candidate, or the payment with the refunds it lists. */
export interface ReadRequest {
  readonly provider: ProviderName;
  readonly account: string;
  readonly paymentId: string;
  /** what the contract's channel reads */
  readonly reads: 'refund' | 'payment';
  /** the refund's id; null where the payment's list is read */
  readonly resourceId: string | null;
  /** the operation's input: a provider may need ids of it (PayPal `order_id`, `merchant_id`) */
  readonly input: JsonObject;
}

/** The kinds that `readback.result` knows. */
export type ReadErrorKind = 'timeout' | 'network' | 'server' | 'rate_limited' | 'auth' | 'malformed';

export interface ReadError {
  readonly outcome: 'error';
  readonly kind: ReadErrorKind;
  /** for a person: status and the provider's code; never a body, a header or a credential */
  readonly message: string;
  /** of the last call; null where none was answered */
  readonly httpStatus: number | null;
  /** how long the provider asked to be left alone; null where it did not */
  readonly retryAfterMs: number | null;
}

/** A provider's answer. Nothing is guessed: what is not understood is an error of kind `malformed`, never `absent`. */
export type ReadOutcome =
  | {
      readonly outcome: 'ok';
      readonly httpStatus: number;
      /** the raw answer; where pages were joined, one answer in the same form */
      readonly body: string;
    }
  | { readonly outcome: 'absent'; readonly httpStatus: number }
  | ReadError;

export interface ReadContext {
  /** aborted: the answer is no longer wanted */
  readonly signal: AbortSignal;
  /** awaited before each call but the first: resolves when the account's rate allows one more */
  readonly pace: () => Promise<void>;
}

/** Reads refunds of one account at its provider. Drivers: over HTTP (`providers/api-reader.ts`), and `drivers/memory`. */
export interface ProviderReader {
  /** Never rejects on what a provider does. */
  read(request: ReadRequest, context: ReadContext): Promise<ReadOutcome>;
  close(): Promise<void>;
}
