import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ProviderName } from '../../evaluator/index.ts';
import { DEFAULT_HTTP_LIMITS, serverOptions } from '../../observability/http-limits.ts';
import { printJson } from '../../records/json-text.ts';
import type { Sandbox } from '../sandbox.ts';
import type { SandboxRequest, Stand } from '../stand.ts';
import { Answering, type CallMade, type Outcome } from './answering.ts';
import { controlRoutes } from './control-routes.ts';

export interface SandboxServerOptions {
  readonly sandbox: Sandbox;
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  readonly called?: (call: CallMade) => void;
  /** hears of faults of ours */
  readonly failed: (error: unknown) => void;
}

export interface SandboxServer {
  /** where it listens, like `http://127.0.0.1:8090` */
  readonly address: string;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 1_048_576;

const requestOf = (request: FastifyRequest): SandboxRequest => ({
  params: request.params as Readonly<Record<string, string>>,
  query: request.query as Readonly<Record<string, string>>,
  header: (name) => {
    const value = request.headers[name];
    return typeof value === 'string' && value !== '' ? value : null;
  },
  text: typeof request.body === 'string' ? request.body : '',
});

/** Sends an answer; without one the connection is cut, as on a network that fails. */
const send = (reply: FastifyReply, request: FastifyRequest, outcome: Outcome): FastifyReply => {
  if (outcome === null) {
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  const { status, headers = {}, body, text } = outcome;
  reply.code(status);
  if (body !== null) reply.type('application/json');
  reply.headers(headers);
  return reply.send(text ?? (body === null ? '' : printJson(body)));
};

const standRoutes = <Name extends ProviderName>(
  server: FastifyInstance,
  stand: Stand<Name>,
  answering: Answering,
): void => {
  for (const route of stand.routes) {
    server.route({
      method: route.method,
      url: route.url,
      handler: async (request, reply) => send(reply, request, await answering.answer(stand, route, requestOf(request))),
    });
  }
};

/** The four providers and the control endpoints, on one port. */
export const startSandboxServer = async (options: SandboxServerOptions): Promise<SandboxServer> => {
  const { sandbox, host, port, failed } = options;
  const server: FastifyInstance = Fastify({
    ...serverOptions({ ...DEFAULT_HTTP_LIMITS, requestTimeoutMs: 120_000 }),
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.setErrorHandler(async (error, _request, reply) => {
    const { statusCode = 500, message } = error as { statusCode?: number; message: string };
    if (statusCode >= 500) failed(error);
    const title = statusCode < 500 ? message : 'a fault in the sandbox itself';
    return reply
      .code(statusCode)
      .type('application/problem+json')
      .send(JSON.stringify({ type: 'about:blank', title, status: statusCode }));
  });
  const answering = new Answering(sandbox, (call) => options.called?.(call));
  const { paypal, square, shopify, stripe } = sandbox.stands;
  standRoutes(server, paypal, answering);
  standRoutes(server, square, answering);
  standRoutes(server, shopify, answering);
  standRoutes(server, stripe, answering);
  controlRoutes(server, sandbox, answering);
  const address = await server.listen({ host, port });
  return { address, close: () => server.close() };
};
