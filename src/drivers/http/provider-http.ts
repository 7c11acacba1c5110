import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import type { HttpAnswer, HttpCall, ProviderHttp } from '../../ports/provider-http.ts';
import { isPrivateAddress } from './private-address.ts';
import { PRIVATE_ADDRESS, publicLookup } from './public-lookup.ts';

export interface ProviderHttpOptions {
  /** origin and path prefix, without a slash at its end */
  readonly apiBase: string;
  /** for a whole call, from the connection to the last byte */
  readonly timeoutMs: number;
  /** the longest answer that is read */
  readonly maxBytes: number;
  /** connections at once */
  readonly connections: number;
  /** private and loopback addresses are connected to: tests only */
  readonly allowPrivate: boolean;
  /** in place of a real connection: tests only */
  readonly dispatcher?: Dispatcher;
}

type Failed = Extract<HttpAnswer, { outcome: 'failed' }>;

const failed = (kind: Failed['kind'], message: string): Failed => ({ outcome: 'failed', kind, message });

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

const MALFORMED_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RESPONSE_EXCEEDED_MAX_SIZE',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_INVALID_ARG',
  'HTTPParserError',
]);

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : codeOf(error.cause);
};

/** Told by its code alone: an error of the client may hold the request with its credentials. */
const failureOf = (error: unknown, isAborted: boolean): Failed => {
  if (isAborted) return failed('timeout', 'no whole answer in time');
  const code = codeOf(error);
  if (TIMEOUT_CODES.has(code)) return failed('timeout', `no answer in time (${code})`);
  if (code === PRIVATE_ADDRESS) return failed('network', 'the host has a private address, which is not connected to');
  if (MALFORMED_CODES.has(code) || code.startsWith('HPE_')) {
    return failed('malformed', `the answer is no HTTP answer that can be taken (${code})`);
  }
  return failed('network', `the connection failed (${code})`);
};

const headersOf = (headers: Dispatcher.ResponseData['headers']): Record<string, string> => {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) flat[name] = first;
  }
  return flat;
};

/** The whole body; null where it is longer than allowed, and then the rest is not read. */
const bodyOf = async (body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Uint8Array | null> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.byteLength;
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Whether the base names an address instead of a name: then no lookup stands between it and the connection. */
const isPrivateLiteral = ({ hostname }: URL): boolean => {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && isPrivateAddress(address);
};

/** An account's API through undici: kept-alive connections of its own, so that a provider that hangs holds up no other. */
export const createProviderHttp = (options: ProviderHttpOptions): ProviderHttp => {
  const { apiBase, timeoutMs, maxBytes, connections, allowPrivate } = options;
  const base = new URL(apiBase);
  const isRefused = !allowPrivate && isPrivateLiteral(base);
  const agent =
    options.dispatcher ??
    new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: 32_768,
      connect: { timeout: timeoutMs, ...(allowPrivate ? {} : { lookup: publicLookup() }) },
    });

  const ask = async ({ method, path, headers, body }: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
    const answer = await agent.request({
      origin: base.origin,
      path: `${base.pathname.replace(/\/$/, '')}${path}`,
      method,
      // Compressed, an answer could be larger than its bytes.
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'countersign' },
      body: body ?? null,
      signal,
    });
    const bytes = await bodyOf(answer.body, maxBytes);
    if (bytes === null) return failed('malformed', `the answer is longer than ${maxBytes} bytes`);
    return { outcome: 'answered', status: answer.statusCode, headers: headersOf(answer.headers), body: bytes };
  };

  return {
    send: async (call, signal) => {
      if (isRefused) return failed('network', 'the API base has a private address, which is not connected to');
      const deadline = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
      try {
        return await ask(call, either);
      } catch (error) {
        return failureOf(error, either.aborted);
      }
    },
    // What is still under way is of a process that stops: its lease comes back.
    close: () => (options.dispatcher === undefined ? agent.destroy() : Promise.resolve()),
  };
};
