import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RegistrySettings } from '../../../src/drivers/kafka/registry-settings.ts';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** A registry over HTTP that answers as the test says and keeps what it was asked. No answer: it holds the question. */
export class FakeRegistry {
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
  reply: (path: string, request: IncomingMessage) => Reply | null = () => ({
    status: 404,
    body: { error_code: 40403, message: 'no' },
  });
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeRegistry> {
    const server = createServer();
    const registry = new FakeRegistry(server);
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      registry.asked.push({ path, authorization: request.headers.authorization });
      const reply = registry.reply(path, request);
      if (reply === null) return;
      const isText = typeof reply.body === 'string';
      response.writeHead(reply.status, { 'content-type': isText ? 'text/html' : 'application/json' });
      response.end(isText ? reply.body : JSON.stringify(reply.body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return registry;
  }

  settings(over: Partial<RegistrySettings> = {}): RegistrySettings {
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/apis`, timeout_ms: 2_000, unknown_schema_ttl_ms: 60_000, ...over };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
