import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, OperatingError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../evaluator/index.ts';
import type { FoundOperation, OperationLookup } from '../../ports/operation-lookup.ts';
import { printJson, readJsonText } from '../../records/index.ts';
import { type ApiClient, type ApiScope, type FindClient, mayTouch } from './api-key.ts';
import { openApiDocument } from './openapi.ts';
import { IntakeRefused, type OperationIntake } from './operation-intake.ts';
import { sendProblem } from './problem.ts';

export interface OperationRoutesOptions {
  readonly intake: OperationIntake;
  /** null: this process cannot tell what has become of operations */
  readonly lookup: OperationLookup | null;
  readonly findClient: FindClient;
  /** who asks without a key where that is allowed; null: nobody may */
  readonly anonymous: (request: FastifyRequest) => ApiClient | null;
  /** whether `GET /v1/operations/*` is answered here too */
  readonly answersReads: boolean;
  readonly bodyBytesMax: number;
  /** `Retry-After` of a 503, seconds */
  readonly retryAfterS: number;
  readonly version: string;
  readonly answered: (route: string, status: number) => void;
  /** hears of faults of ours */
  readonly failed: (error: unknown) => void;
}

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  RECORD_MALFORMED: 400,
  RECORD_KIND_WRONG: 400,
  RECORD_TOO_LARGE: 413,
  CONTRACT_UNKNOWN: 422,
  INPUT_INVALID: 422,
  CREATED_AT_IN_FUTURE: 422,
  JOURNAL_UNWRITABLE: 503,
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'the request is not right',
  401: 'no valid API key',
  403: 'the API key does not allow this',
  404: 'no such operation',
  409: 'it conflicts with what is known',
  413: 'the request is too large',
  415: 'unsupported media type',
  422: 'the operation cannot be judged as it is',
  503: 'not taken; send it again',
};

const titleOf = (status: number): string => TITLES[status] ?? 'the request was not answered';

const sendJson = (reply: FastifyReply, status: number, value: Json): FastifyReply =>
  reply.code(status).type('application/json').send(printJson(value));

const utf8 = new TextDecoder('utf-8', { fatal: true });

const malformed = (reason: string): OperatingError =>
  new OperatingError('RECORD_MALFORMED', reason, { context: { field: '' } });

const bodyOf = ({ body }: FastifyRequest): JsonObject => {
  let text: string;
  try {
    text = utf8.decode(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  } catch {
    throw malformed('the body is not UTF-8');
  }
  const read = readJsonText(text);
  if (!read.ok) throw malformed(`the body is ${read.error.message}`);
  if (!isJsonObject(read.value)) throw malformed('the body should be a JSON object');
  return read.value;
};

const ACTION = '/action';

/** The routes of the operations API, and `/openapi.json`, which says what they are. */
export const operationApiRoutes =
  (options: OperationRoutesOptions) =>
  (server: FastifyInstance): void => {
    const { intake, lookup, retryAfterS, failed, answered } = options;
    const clients = new WeakMap<FastifyRequest, ApiClient>();

    const clientOf = (request: FastifyRequest): ApiClient => {
      const client = clients.get(request);
      if (client === undefined) throw new TypeError('a request came by without a client');
      return client;
    };

    const authorise =
      (scope: ApiScope) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
        const client = options.findClient(request.headers.authorization) ?? options.anonymous(request);
        if (client === null) {
          reply.header('www-authenticate', 'Bearer');
          const detail = 'Authorization: Bearer <API key> was missing, or its key is not one of gateway.api_keys';
          return sendProblem(reply, 401, { title: titleOf(401), detail });
        }
        if (!client.scopes.has(scope))
          return sendProblem(reply, 403, { title: titleOf(403), detail: `the key ${client.id} lacks ${scope}` });
        clients.set(request, client);
        return undefined;
      };

    const refuse = (reply: FastifyReply, error: unknown): FastifyReply => {
      if (error instanceof IntakeRefused) {
        const { status, message: detail, field, code } = error;
        const more = { ...(field === null ? {} : { field }), ...(code === null ? {} : { code }) };
        return sendProblem(reply, status, { title: titleOf(status), detail, ...more });
      }
      if (error instanceof OperatingError) {
        const { code, message: detail, context, retryable } = error;
        const status = retryable ? 503 : (STATUS[code] ?? 500);
        if (status === 503) reply.header('retry-after', retryAfterS);
        if (status === 500) failed(error);
        const field = typeof context['field'] === 'string' ? { field: context['field'] } : {};
        return sendProblem(reply, status, { title: titleOf(status), code, detail, ...field });
      }
      const { statusCode = 500, message } = error as { statusCode?: number; message: string };
      if (statusCode >= 500) {
        failed(error);
        return sendProblem(reply, 500, { title: 'a fault in Countersign itself' });
      }
      return sendProblem(reply, statusCode, { title: titleOf(statusCode), detail: message });
    };

    const taken = (value: { readonly key: string }): Json => ({
      ...value,
      url: `/v1/operations/${encodeURIComponent(value.key)}`,
    });

    const mayRead = (request: FastifyRequest, { provider, account }: FoundOperation): boolean =>
      mayTouch(clientOf(request), provider, account);

    const read = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { '*': named } = request.params as { '*': string };
      const { payment_key: ofPayment } = request.query as { payment_key?: unknown };
      if (lookup === null)
        return sendProblem(reply, 501, { title: 'this process has no state to read', detail: 'redis.url is not set' });
      if (ofPayment !== undefined && (typeof ofPayment !== 'string' || ofPayment === '')) {
        const detail = `payment_key: was ${Array.isArray(ofPayment) ? 'given more than once' : 'empty'}, should be one payment key`;
        return sendProblem(reply, 400, { title: titleOf(400), detail, field: 'payment_key' });
      }
      const all = await lookup.find(named, ofPayment ?? null);
      const [found, another] = all.filter((one) => mayRead(request, one));
      if (another !== undefined && found !== undefined) {
        const detail = `${named} is an operation of several payments; add ?payment_key=`;
        return sendProblem(reply, 409, { title: 'several operations', detail, field: 'payment_key' });
      }
      if (found !== undefined) return sendJson(reply, 200, found.view);
      const waiting = intake.recent(named).find(({ key }) => {
        const whose = intake.accountOf(key);
        return whose !== null && mayTouch(clientOf(request), whose.provider, whose.account);
      });
      if (waiting !== undefined) {
        // Published, and not judged yet.
        const nothing = { verdict: null, present: null, conditions: [], revisions: [], timeline: null };
        return sendJson(reply, 200, { ...waiting, ...nothing });
      }
      const detail = `no operation ${named.slice(0, 300)} is known here; name it as <payment key>/<operation id>, or add ?payment_key=`;
      return sendProblem(reply, 404, { title: titleOf(404), detail });
    };

    server.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      const parse = { parseAs: 'buffer', bodyLimit: options.bodyBytesMax } as const;
      scope.addContentTypeParser('application/json', parse, (_request, body, done) => done(null, body));
      scope.setErrorHandler(async (error, _request, reply) => refuse(reply, error));
      scope.addHook('onResponse', async (request, reply) => {
        answered(`${request.method} ${request.routeOptions.url ?? ''}`, reply.statusCode);
      });
      const write = { bodyLimit: options.bodyBytesMax, onRequest: authorise('operations:write') };
      scope.post('/v1/operations', write, async (request, reply) =>
        sendJson(reply, 202, taken(await intake.start(clientOf(request), bodyOf(request)))),
      );
      scope.post('/v1/operations/*', write, async (request, reply) => {
        const { '*': path } = request.params as { '*': string };
        if (!path.endsWith(ACTION) || path.length === ACTION.length)
          return sendProblem(reply, 404, { title: 'no such route', detail: 'POST /v1/operations/<id>/action' });
        const named = path.slice(0, -ACTION.length);
        return sendJson(reply, 202, taken(await intake.act(clientOf(request), named, bodyOf(request))));
      });
      if (options.answersReads)
        scope.get('/v1/operations/*', { onRequest: authorise('operations:read') }, async (request, reply) =>
          read(request, reply),
        );
      const document = JSON.stringify(openApiDocument(options.version));
      scope.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(document));
    });
  };
