import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { DEFAULT_HTTP_LIMITS, type HttpLimits, serverOptions } from './http-limits.ts';
import type { Metrics } from './metrics.ts';

/** Whether a role can do its work now. */
export interface Readiness {
  readonly ready: boolean;
  /** why not, a sentence each; empty when ready */
  readonly reasons: readonly string[];
  /** facts for a person who looks: lag, states, ages */
  readonly facts?: Readonly<Record<string, unknown>>;
}

export interface HealthServerOptions {
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  readonly metrics: Metrics;
  /** asked at each `/readyz`; one that throws is not ready */
  readonly readiness: () => Readiness | Promise<Readiness>;
  /** what clients may ask; the usual unless given */
  readonly limits?: HttpLimits;
  /** whether requests at hand are answered before it closes; else their connections are cut */
  readonly isGraceful?: boolean;
  /** adds what else the role answers */
  readonly routes?: (server: FastifyInstance) => void;
}

export interface HealthServer {
  /** where it listens, like `http://127.0.0.1:8080` */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * `/healthz` answers 200 while the event loop turns: restart the process when it does not. `/readyz` answers 200 or 503 by what
 * the role says of its progress. `/metrics` is Prometheus' text form.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, metrics, readiness, limits = DEFAULT_HTTP_LIMITS, isGraceful = false } = options;
  const server = Fastify({
    ...serverOptions(limits),
    forceCloseConnections: isGraceful ? 'idle' : true,
    // What no route is asked about: a path with a malformed percent-encoding.
    frameworkErrors: (error, _request, reply) => {
      const { statusCode: status = 400, message: detail } = error;
      const problem = { type: 'about:blank', status, title: 'the address is not right', detail };
      // Typed for the reply of any route; there is none here.
      void (reply as unknown as FastifyReply)
        .code(status)
        .type('application/problem+json')
        .send(JSON.stringify(problem));
    },
  }) as unknown as FastifyInstance;
  server.server.maxConnections = limits.connectionsMax;
  server.get('/healthz', async () => ({ status: 'alive' }));
  server.get('/readyz', async (_request, reply) => {
    let answer: Readiness;
    try {
      answer = await readiness();
    } catch (error) {
      answer = { ready: false, reasons: [`readiness cannot be told: ${(error as Error).message}`] };
    }
    const { ready, reasons, facts } = answer;
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : 'not ready', reasons, ...(facts === undefined ? {} : { facts }) });
  });
  server.get('/metrics', async (_request, reply) => {
    const text = await metrics.registry.metrics();
    return reply.type(metrics.registry.contentType).send(text);
  });
  options.routes?.(server);
  const address = await server.listen({ host, port });
  return { address, close: () => server.close() };
}
