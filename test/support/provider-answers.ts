import type { HttpAnswer, HttpCall, ProviderHttp } from '../../src/ports/provider-http.ts';
import type { ReadContext, ReadOutcome, ReadRequest } from '../../src/ports/provider-reader.ts';
import type { Account } from '../../src/providers/account.ts';
import { createApiReader } from '../../src/providers/api-reader.ts';

export const json = (
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Extract<HttpAnswer, { outcome: 'answered' }> => ({
  outcome: 'answered',
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

export const raw = (body: string | Uint8Array, type: string, status = 200): HttpAnswer => ({
  outcome: 'answered',
  status,
  headers: { 'content-type': type },
  body: Buffer.from(body),
});

/** A provider that a test plays: notes what it is asked, and answers as the test says. */
export class PlayedProvider implements ProviderHttp {
  readonly calls: HttpCall[] = [];
  readonly #answer: (call: HttpCall, count: number) => HttpAnswer | Promise<HttpAnswer>;

  constructor(answer: (call: HttpCall, count: number) => HttpAnswer | Promise<HttpAnswer>) {
    this.#answer = answer;
  }

  async send(call: HttpCall): Promise<HttpAnswer> {
    this.calls.push(call);
    return this.#answer(call, this.calls.length);
  }

  async close(): Promise<void> {}

  get paths(): string[] {
    return this.calls.map(({ method, path }) => `${method} ${path}`);
  }
}

export const CALLS = {
  account: 'merchant-1',
  apiBase: 'https://api.example',
  concurrency: 4,
  ratePerSecond: 10,
  burst: 10,
};

export const NOW = Date.parse('2026-09-01T12:00:00Z');

const CONTEXT: ReadContext = { signal: new AbortController().signal, pace: async () => undefined };

/** A reader of a played provider, on a clock that stands still unless the test moves it. */
export const readerOf = (account: Account, http: ProviderHttp, clock = { now: () => NOW }) => {
  const reader = createApiReader(account, http, clock);
  return (request: Partial<ReadRequest>): Promise<ReadOutcome> =>
    reader.read(
      {
        provider: account.provider,
        account: account.account,
        paymentId: 'payment-1',
        reads: 'refund',
        resourceId: 'refund-1',
        input: {},
        ...request,
      },
      CONTEXT,
    );
};
