/** What a client may ask of a listener, so that one who means ill, or is broken, takes nothing from the others. */
export interface HttpLimits {
  /** for the whole request to arrive; past it 408 */
  readonly requestTimeoutMs: number;
  /** all headers together; more is 431 */
  readonly headerBytesMax: number;
  /** open connections; further ones are dropped */
  readonly connectionsMax: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  requestTimeoutMs: 30_000,
  headerBytesMax: 16_384,
  connectionsMax: 2_000,
};

/** A connection that says nothing for this long beyond the request's own time is closed. */
const IDLE_MS = 20_000;
/** Connections are looked at this often; Node's own 30 s would let a slow one stay so much longer. */
const CHECK_MS = 1_000;

/** The same as options of fastify; `connectionsMax` is set on the server once it is made. */
export const serverOptions = ({ requestTimeoutMs, headerBytesMax }: HttpLimits) =>
  ({
    logger: false,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs + IDLE_MS,
    keepAliveTimeout: IDLE_MS,
    http: {
      maxHeaderSize: headerBytesMax,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, requestTimeoutMs),
    },
  }) as const;
