import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';
import type { WebhookAnswer, WebhookReceiver, WebhookRoute } from './webhook-receiver.ts';

export interface WebhookRoutesOptions {
  readonly receiver: WebhookReceiver;
  readonly bodyBytesMax: number;
  /** `Retry-After` of a 503, seconds */
  readonly retryAfterS: number;
  /** hears what became of each request; `unknown` endpoints are one */
  readonly answered: (provider: string, endpoint: string, answer: Omit<WebhookAnswer, 'status'>) => void;
  /** hears of faults of ours */
  readonly failed: (error: unknown) => void;
}

const TITLES: Readonly<Record<Exclude<WebhookAnswer['status'], 200>, string>> = {
  401: 'the signature does not prove this delivery',
  403: 'the event belongs to another account',
  404: 'no such endpoint',
  413: 'the event is too large',
  429: 'too many requests',
  503: 'not taken; send it again',
};

const NO_ENDPOINT: WebhookAnswer = {
  status: 404,
  outcome: 'unknown_endpoint',
  code: 'ENDPOINT_UNKNOWN',
  reason: 'no endpoint is configured under this URL',
  retryAfterMs: null,
};

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** What the signature covers are the bytes as they were sent; what cannot be taken so is refused before it is read. */
const isPlainJson = ({ headers }: FastifyRequest): boolean =>
  JSON_TYPE.test(headers['content-type'] ?? '') && /^(?:identity)?$/i.test(headers['content-encoding'] ?? '');

/** The request's own route: beside the request in a map, every collection of young objects would have to look through it. */
const ROUTE = Symbol('route');
type Routed = FastifyRequest & { [ROUTE]?: WebhookRoute | null };

interface Params {
  readonly provider: string;
  readonly endpoint: string;
}

/** `POST /webhooks/:provider/:endpoint`, over the raw bytes. 2xx only once the event is kept. */
export const webhookRoutes =
  (options: WebhookRoutesOptions) =>
  (server: FastifyInstance): void => {
    const { receiver, bodyBytesMax, retryAfterS, answered, failed } = options;
    const send = (reply: FastifyReply, answer: WebhookAnswer): FastifyReply => {
      const { status, code, retryAfterMs } = answer;
      if (status === 200) return reply.code(200).type('application/json').send('{"status":"accepted"}');
      if (status === 503) reply.header('retry-after', retryAfterS);
      if (status === 429) reply.header('retry-after', Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000)));
      // What exactly is wrong with a signature is for our log, not for whoever tries.
      return sendProblem(reply, status, { title: TITLES[status], ...(code === null ? {} : { code }) });
    };

    const tell = (request: FastifyRequest, answer: Omit<WebhookAnswer, 'status'>): void => {
      const route = (request as Routed)[ROUTE];
      answered(route?.provider ?? 'unknown', route?.endpoint ?? 'unknown', answer);
    };

    server.register(async (scope) => {
      scope.decorateRequest(ROUTE, null);
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, done) =>
        done(null, body),
      );
      scope.addHook('onRequest', (request, reply, done) => {
        const { provider, endpoint } = request.params as Params;
        const route = receiver.route(provider, endpoint);
        const refusal = route === null ? NO_ENDPOINT : route.admit();
        (request as Routed)[ROUTE] = route;
        if (refusal !== null) {
          tell(request, refusal);
          send(reply, refusal);
          return;
        }
        if (isPlainJson(request)) {
          done();
          return;
        }
        tell(request, { outcome: 'forged', code: null, reason: 'the body is no plain JSON', retryAfterMs: null });
        sendProblem(reply, 415, {
          title: 'unsupported media type',
          detail: 'the body should be application/json, without a content-encoding',
        });
      });
      scope.setErrorHandler(async (error, request, reply) => {
        const { statusCode = 500, message } = error as { statusCode?: number; message: string };
        if (statusCode >= 500) failed(error);
        else tell(request, { outcome: 'forged', code: null, reason: message, retryAfterMs: null });
        return sendProblem(reply, statusCode, {
          title: statusCode < 500 ? message : 'a fault in Countersign itself',
        });
      });
      scope.post('/webhooks/:provider/:endpoint', { bodyLimit: bodyBytesMax }, async (request, reply) => {
        const route = (request as Routed)[ROUTE] ?? null;
        if (route === null) throw new TypeError('a request was not routed');
        const { traceparent } = request.headers;
        const answer = await route.receive({
          rawHeaders: request.raw.rawHeaders,
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
          traceparent: typeof traceparent === 'string' ? traceparent : undefined,
        });
        tell(request, answer);
        return send(reply, answer);
      });
    });
  };
