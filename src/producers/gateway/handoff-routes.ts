import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OperatingError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../evaluator/index.ts';
import type { HandoffLookup } from '../../ports/handoff-lookup.ts';
import { printJson, readJsonText } from '../../records/index.ts';
import { type ApiClient, type ApiScope, type FindClient, mayTouch } from './api-key.ts';
import type { HandoffAnswer, HandoffIntake } from './handoff-intake.ts';
import { IntakeRefused } from './operation-intake.ts';
import { sendProblem } from './problem.ts';

export interface HandoffRoutesOptions {
  readonly intake: HandoffIntake;
  readonly lookup: HandoffLookup;
  readonly findClient: FindClient;
  /** who asks without a key where that is allowed; null: nobody may */
  readonly anonymous: (request: FastifyRequest) => ApiClient | null;
  readonly bodyBytesMax: number;
  /** `Retry-After` of a 503 and a 202, seconds */
  readonly retryAfterS: number;
  readonly answered: (route: string, status: number) => void;
  readonly failed: (error: unknown) => void;
}

const BAD_REQUEST = 'the request is not right';

const sendJson = (reply: FastifyReply, status: number, value: Json): FastifyReply =>
  reply.code(status).type('application/json').send(printJson(value));

const bodyOf = ({ body }: FastifyRequest): JsonObject => {
  const read = readJsonText(typeof body === 'string' ? body : '');
  if (read.ok && isJsonObject(read.value)) return read.value;
  const detail = read.ok ? 'the body should be a JSON object' : `the body is ${read.error.message}`;
  throw new OperatingError('RECORD_MALFORMED', detail, { context: { field: '' } });
};

const urlOf = (handoffId: string): string => `/v1/handoffs/${handoffId}`;

const send = (reply: FastifyReply, answer: HandoffAnswer, retryAfterS: number): FastifyReply => {
  switch (answer.outcome) {
    case 'decided': {
      const { decided } = answer;
      reply.header('location', urlOf(decided.handoff_id));
      return sendJson(reply, decided.decision === 'planned' ? 201 : 422, decided as unknown as Json);
    }
    case 'pending': {
      const { handoffId, paymentKey } = answer;
      reply.header('location', urlOf(handoffId)).header('retry-after', retryAfterS);
      return sendJson(reply, 202, {
        handoff_id: handoffId,
        payment_key: paymentKey,
        url: urlOf(handoffId),
        decision: null,
      });
    }
    case 'unknown': {
      const refusals = answer.refusals as unknown as Json;
      const nothing = { plan: null, plan_digest: null, money_moved: false, provider_status: 'not_called' };
      return sendJson(reply, 422, { decision: 'refused', refusals, ...nothing });
    }
  }
};

const refuse = (reply: FastifyReply, error: unknown, { retryAfterS, failed }: HandoffRoutesOptions): FastifyReply => {
  if (error instanceof IntakeRefused)
    return sendProblem(reply, error.status, { title: 'the API key does not allow this', detail: error.message });
  if (error instanceof OperatingError) {
    const { code, message: detail, context, retryable } = error;
    if (retryable) {
      reply.header('retry-after', retryAfterS);
      return sendProblem(reply, 503, { title: 'not taken; send it again', code, detail });
    }
    const isMalformed = code === 'RECORD_MALFORMED' || code === 'RECORD_TOO_LARGE';
    if (!isMalformed) failed(error);
    const field = typeof context['field'] === 'string' ? context['field'] : undefined;
    return sendProblem(reply, isMalformed ? 400 : 500, { title: BAD_REQUEST, code, detail, field });
  }
  const { statusCode = 500, message } = error as { statusCode?: number; message: string };
  if (statusCode < 500) return sendProblem(reply, statusCode, { title: BAD_REQUEST, detail: message });
  failed(error);
  return sendProblem(reply, 500, { title: 'a fault in Countersign itself' });
};

/** `POST /v1/handoffs`: asks for a plan and answers with it. `GET /v1/handoffs/<id>`: the answer as it was given. */
export const handoffRoutes =
  (options: HandoffRoutesOptions) =>
  (server: FastifyInstance): void => {
    const { intake, lookup, retryAfterS, answered, bodyBytesMax } = options;
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
          return sendProblem(reply, 401, { title: 'no valid API key', detail });
        }
        if (!client.scopes.has(scope)) {
          const detail = `the key ${client.id} lacks ${scope}`;
          return sendProblem(reply, 403, { title: 'the API key does not allow this', detail });
        }
        clients.set(request, client);
        return undefined;
      };

    server.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      const parse = { parseAs: 'string', bodyLimit: bodyBytesMax } as const;
      scope.addContentTypeParser('application/json', parse, (_request, body, done) => done(null, body));
      scope.setErrorHandler(async (error, _request, reply) => refuse(reply, error, options));
      scope.addHook('onResponse', async (request, reply) => {
        answered(`${request.method} ${request.routeOptions.url ?? ''}`, reply.statusCode);
      });
      const write = { bodyLimit: bodyBytesMax, onRequest: authorise('handoffs:write') };
      scope.post('/v1/handoffs', write, async (request, reply) =>
        send(reply, await intake.request(clientOf(request), bodyOf(request)), retryAfterS),
      );
      scope.get('/v1/handoffs/:id', { onRequest: authorise('handoffs:read') }, async (request, reply) => {
        const { id } = request.params as { id: string };
        const decided = await lookup.decided(id, null);
        if (decided !== null && mayTouch(clientOf(request), decided.provider, decided.account))
          return sendJson(reply, 200, decided as unknown as Json);
        return sendProblem(reply, 404, {
          title: 'no such handoff',
          detail: `no answer to ${id.slice(0, 100)} is known here`,
        });
      });
    });
  };
