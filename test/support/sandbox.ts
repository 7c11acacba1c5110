import { afterEach } from 'vitest';
import { accountSchema } from '../../src/config/account-schema.ts';
import { accountOf } from '../../src/config/accounts.ts';
import { endpointSchema } from '../../src/config/endpoint-schema.ts';
import { endpointsOf } from '../../src/config/endpoints.ts';
import { createProviderHttp } from '../../src/drivers/http/provider-http.ts';
import type { JsonObject, ProviderName } from '../../src/evaluator/index.ts';
import type { ReadContext, ReadOutcome, ReadRequest } from '../../src/ports/provider-reader.ts';
import type { Account } from '../../src/providers/account.ts';
import { createApiReader } from '../../src/providers/api-reader.ts';
import { type Endpoint, PROVIDERS } from '../../src/providers/index.ts';
import { parseJsonText } from '../../src/records/json-text.ts';
import { countersignConfig } from '../../src/sandbox/countersign-config.ts';
import { startSandboxServer } from '../../src/sandbox/http/server.ts';
import { ManualClock } from '../../src/sandbox/manual-clock.ts';
import { Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { scenarioSchema } from '../../src/sandbox/scenario-schema.ts';

/** A webhook as it was posted. */
export interface Posted {
  readonly provider: ProviderName;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** of the sandbox's clock */
  readonly at: number;
}

export interface RunningSandbox {
  readonly sandbox: Sandbox;
  readonly address: string;
  readonly posted: readonly Posted[];
  readonly accounts: readonly Account[];
  readonly endpoints: readonly Endpoint[];
  /** Posts JSON to a control endpoint, and gives its answer. */
  control(name: string, body: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** The real adapter's read of an account's refund or payment. */
  read(provider: ProviderName, request: Partial<ReadRequest>): Promise<ReadOutcome>;
  /** Whether the real adapter takes a webhook as the provider's. */
  authenticate(posted: Posted): string;
  /** An HTTP call, as a payment service makes it. */
  call(method: 'GET' | 'POST', path: string, headers?: Record<string, string>, body?: string): Promise<Response>;
}

export const START = Date.parse('2026-09-01T12:00:00Z');

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const CONTEXT: ReadContext = { signal: new AbortController().signal, pace: async () => undefined };

/** A sandbox on a port of its own, whose clock only the test moves. `answer` answers its webhooks. */
export const startSandbox = async (
  scenario: object = {},
  answer: (posted: Posted) => number | null = () => 200,
  more: Partial<SandboxOptions> = {},
): Promise<RunningSandbox> => {
  const clock = new ManualClock(START);
  const posted: Posted[] = [];
  let address = '';
  const sandbox = new Sandbox({
    scenario: scenarioSchema.parse(scenario),
    time: clock,
    deliver: async (url, headers, body) => {
      const one = { provider: (url.split('/')[4] ?? '') as ProviderName, url, headers, body, at: clock.now() };
      posted.push(one);
      return answer(one);
    },
    webhooksTo: () => 'http://gateway.test',
    address: () => address,
    ...more,
  });
  const server = await startSandboxServer({
    sandbox,
    host: '127.0.0.1',
    port: 0,
    failed: (error) => {
      throw error;
    },
  });
  address = server.address;
  ending.push(() => server.close());
  const config = countersignConfig(sandbox);
  const problems: string[] = [];
  const endpoints = endpointsOf(
    config.endpoints.map((each) => endpointSchema.parse(each)),
    '.',
    problems,
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const accounts = config.accounts.map((each) => accountOf(accountSchema.parse(each)));
  const readers = new Map(
    accounts.map((account) => {
      const http = createProviderHttp({
        apiBase: account.apiBase,
        timeoutMs: 5_000,
        maxBytes: 1_000_000,
        connections: 4,
        allowPrivate: true,
      });
      ending.push(() => http.close());
      return [account.provider, createApiReader(account, http, clock)] as const;
    }),
  );
  return {
    sandbox,
    address,
    posted,
    accounts,
    endpoints,
    control: async (name, body) => {
      const response = await fetch(`${address}/_sandbox/${name}`, { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    read: (provider, request) => {
      const reader = readers.get(provider);
      if (reader === undefined) throw new Error(`no account of ${provider}`);
      const base = {
        provider,
        account: 'merchant-1',
        paymentId: '',
        reads: 'refund' as const,
        resourceId: null,
        input: {},
      };
      return reader.read({ ...base, ...request }, CONTEXT);
    },
    authenticate: ({ provider, headers, body, at }) => {
      const endpoint = endpoints.find((each) => each.provider === provider);
      if (endpoint === undefined) throw new Error(`no endpoint of ${provider}`);
      const delivery = { raw: body, headers, receivedAt: at, certificates: [] };
      const answered = PROVIDERS[provider].authenticate(delivery, endpoint, false);
      return answered.outcome === 'authentic' ? 'authentic' : answered.code;
    },
    call: (method, path, headers = {}, body) =>
      fetch(`${address}${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
  };
};

/** What a webhook says, by the real adapter. */
export const eventOf = ({ provider, headers, body }: Posted) =>
  PROVIDERS[provider].event(parseJsonText(body) as JsonObject, headers);
