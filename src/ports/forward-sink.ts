import type { HandoffBound } from '../records/index.ts';

/** A request on its way from its authority's partition to its payment's. */
export interface ForwardedRequest {
  /** the payment key */
  readonly key: string;
  readonly record: HandoffBound;
  /** W3C trace context of the request */
  readonly traceparent: string | null;
}

/** Passes requests on. One may be passed on twice after a crash: the payment's shard knows it again. */
export interface ForwardSink {
  /** Throws a retryable OperatingError where they could not be kept: the shard then waits. */
  write(requests: readonly ForwardedRequest[]): Promise<void>;
}
