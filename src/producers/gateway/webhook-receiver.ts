import { OperatingError } from '../../errors.ts';
import { type ProviderName, printInstant } from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Endpoint, PROVIDERS } from '../../providers/index.ts';
import type { WebhookProducer } from '../webhook-producer.ts';
import { type AuthenticateOptions, authenticateDelivery, type Unproven } from './authenticate-delivery.ts';
import { deliveryHeaders, isSigned } from './delivery-headers.ts';
import { TokenBucket } from './token-bucket.ts';

export interface WebhookReceiverOptions extends AuthenticateOptions {
  readonly endpoints: readonly Endpoint[];
  readonly producer: WebhookProducer;
  readonly clock: Clock;
  /** of one endpoint: requests a second in the long run, and at once */
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** What has become of a delivery; the HTTP status says it to the provider. */
export interface WebhookAnswer {
  readonly status: 200 | 401 | 403 | 404 | 413 | 429 | 503;
  readonly outcome:
    | 'published'
    | Unproven['outcome']
    | 'unknown_endpoint'
    | 'rate_limited'
    | 'unpublished'
    | 'too_large';
  /** null where it was published */
  readonly code: OperatingError['code'] | null;
  /** for the log; never a secret */
  readonly reason: string | null;
  /** milliseconds after which the sender may come again; null: see {@link status} */
  readonly retryAfterMs: number | null;
}

export interface WebhookRequest {
  /** Node's flat list of header names and values */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly traceparent?: string | undefined;
}

/** The endpoints behind one URL. */
export interface WebhookRoute {
  readonly provider: ProviderName;
  readonly endpoint: string;
  /** null where a request may come in now; else the refusal */
  admit(): WebhookAnswer | null;
  receive(request: WebhookRequest): Promise<WebhookAnswer>;
}

export interface WebhookReceiver {
  /** null: no endpoint has this provider and name */
  route(provider: string, endpoint: string): WebhookRoute | null;
}

const STATUS = { forged: 401, unverifiable: 503, misaddressed: 403 } as const;

const refuse = (
  status: WebhookAnswer['status'],
  outcome: WebhookAnswer['outcome'],
  code: WebhookAnswer['code'],
  reason: string,
  retryAfterMs: number | null = null,
): WebhookAnswer => ({ status, outcome, code, reason, retryAfterMs });

const unpublished = (error: unknown): WebhookAnswer => {
  if (!(error instanceof OperatingError)) throw error;
  if (error.code === 'RECORD_TOO_LARGE') return refuse(413, 'too_large', error.code, error.message);
  return refuse(503, 'unpublished', error.code, error.message);
};

const routeOf = (options: WebhookReceiverOptions, endpoints: readonly [Endpoint, ...Endpoint[]]): WebhookRoute => {
  const { producer, clock, ratePerSecond, burst } = options;
  const [{ provider, endpoint: name }] = endpoints;
  const bucket = new TokenBucket(ratePerSecond, burst, clock);
  return {
    provider,
    endpoint: name,
    admit: () => {
      const waitMs = bucket.take();
      return waitMs === 0 ? null : refuse(429, 'rate_limited', null, 'more requests than the endpoint takes', waitMs);
    },
    receive: async ({ rawHeaders, body, traceparent }) => {
      const headers = deliveryHeaders(provider, rawHeaders);
      // Admission calls this unverifiable, since a person can mend a record; whoever sends without one is no provider.
      if (!isSigned(provider, headers)) return refuse(401, 'forged', 'SIGNATURE_INVALID', 'the signature is missing');
      const receivedAt = clock.now();
      const found = await authenticateDelivery(options, { raw: body, headers, receivedAt }, endpoints);
      if (found.outcome !== 'proven') return refuse(STATUS[found.outcome], found.outcome, found.code, found.reason);
      const { account, certificates, paymentId } = found;
      try {
        await producer.received(
          {
            provider,
            account,
            endpoint: name,
            headers,
            rawBody: body,
            received_at: printInstant(receivedAt),
            ...(certificates.length === 0 ? {} : { certificates: [...certificates] }),
          },
          { paymentId: paymentId ?? undefined, traceparent },
        );
      } catch (error) {
        return unpublished(error);
      }
      return { status: 200, outcome: 'published', code: null, reason: null, retryAfterMs: null };
    },
  };
};

/** Takes deliveries: proves each, publishes it, and only then says that it was taken. Knows nothing of HTTP's forms. */
export const createWebhookReceiver = (options: WebhookReceiverOptions): WebhookReceiver => {
  const groups = new Map<string, [Endpoint, ...Endpoint[]]>();
  for (const endpoint of options.endpoints) {
    const key = `${endpoint.provider}/${endpoint.endpoint}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [endpoint]);
    else group.push(endpoint);
  }
  const routes = new Map([...groups].map(([key, group]) => [key, routeOf(options, group)]));
  return {
    route: (provider, endpoint) =>
      Object.hasOwn(PROVIDERS, provider) ? (routes.get(`${provider}/${endpoint}`) ?? null) : null,
  };
};
