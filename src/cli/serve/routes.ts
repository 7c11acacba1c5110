import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationsReadModel } from '../../console/operations.ts';
import { OperatingError } from '../../errors.ts';
import { type ApiClient, type FindClient, mayTouch } from '../../producers/gateway/api-key.ts';
import { printJson } from '../../records/json-text.ts';
import type { Refusal } from '../../records/refusal.ts';
import type { RecordOutcome } from './intake.ts';
import { parseOperationFilter } from './operation-filter.ts';
import { isOwnRequest } from './own-request.ts';
import { type ReadRecord, readRecord } from './read-records.ts';

/** Largest request: a thousand records, or one that is too large for the pipeline and is told so. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const RECORDS_MAX = 10_000;
const LISTED_MAX = 1_000;

export interface OperationRoutes {
  readonly operations: OperationsReadModel;
  /** whether the address is one that only this machine reaches */
  readonly isLoopback: boolean;
  take(records: readonly ReadRecord['input'][]): Promise<RecordOutcome[]>;
  /** finds who shows an API key; null: no keys are configured, and whoever may reach the address may ask */
  readonly findClient: FindClient | null;
  /** hears of faults of ours */
  failed(error: unknown): void;
}

/** RFC 9457. */
const problem = (reply: FastifyReply, status: number, title: string, more: object = {}): FastifyReply =>
  reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title, status, ...more }));

const json = (reply: FastifyReply, status: number, value: unknown): FastifyReply =>
  reply
    .code(status)
    .type('application/json')
    .send(printJson(value as never));

/** Who asks, where API keys are asked for. */
const clients = new WeakMap<FastifyRequest, ApiClient>();

/** Why a request may not do what it asks; null where it may. */
const refusal = (
  { findClient }: OperationRoutes,
  request: FastifyRequest,
): { readonly status: 401 | 403; readonly detail: string } | null => {
  if (findClient === null) return null;
  const client = findClient(request.headers.authorization);
  if (client === null)
    return { status: 401, detail: 'Authorization: Bearer <API key> is missing, or its key is unknown' };
  const scope = request.method === 'POST' ? 'records:write' : 'operations:read';
  if (!client.scopes.has(scope)) return { status: 403, detail: `the key ${client.id} lacks ${scope}` };
  // Records of every account come in by one door.
  if (scope === 'records:write' && client.accounts !== null)
    return { status: 403, detail: `the key ${client.id} is bound to accounts; POST /v1/operations takes it` };
  clients.set(request, client);
  return null;
};

/** Written by our own edge alone: the one sets the time that a plan is judged by, the other says what an authority is bound to. */
const OWN_KINDS: ReadonlySet<string> = new Set(['handoff.requested', 'handoff.bound']);

const ownKind = (kind: string): Refusal => ({
  ok: false,
  code: 'RECORD_KIND_WRONG',
  reason: `kind was ${kind}, which is not taken here; POST /v1/handoffs asks for a plan`,
  field: 'kind',
});

interface RefusedLine extends Refusal {
  /** counts from 1 */
  readonly line: number;
}

const readBody = (
  body: string,
  isLines: boolean,
): { readonly read: ReadRecord[]; readonly refused: RefusedLine[]; readonly count: number } => {
  // A record that is spread over lines is one record, whatever the content type says of it.
  const texts = isLines ? body.split(/\r?\n/) : [body];
  const read: ReadRecord[] = [];
  const refused: RefusedLine[] = [];
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') continue;
    const one = readRecord(text);
    if (one.ok && OWN_KINDS.has(one.record.kind)) refused.push({ ...ownKind(one.record.kind), line: index + 1 });
    else if (one.ok) read.push(one);
    else refused.push({ ...one, line: index + 1 });
  }
  return { read, refused, count: read.length + refused.length };
};

const postRecords =
  (routes: OperationRoutes) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isLines = /ndjson|jsonl|json-seq/.test(request.headers['content-type'] ?? '');
    const body = typeof request.body === 'string' ? request.body : '';
    const { read, refused, count } = readBody(body, isLines);
    if (count === 0) return problem(reply, 400, 'no record', { detail: 'the body holds no record' });
    if (count > RECORDS_MAX)
      return problem(reply, 413, 'too many records', { detail: `${count} records, should be at most ${RECORDS_MAX}` });
    const [first] = refused;
    if (first !== undefined) {
      return problem(reply, 400, 'a record is not right; none was taken', {
        code: first.code,
        detail: first.reason,
        field: first.field,
        errors: refused.map(({ line, code, reason, field }) => ({ line, code, field, detail: reason })),
      });
    }
    try {
      const outcomes = await routes.take(read.map(({ input }) => input));
      const records = outcomes.map((outcome, index) => {
        const record = read[index]?.record;
        const operation = record !== undefined && 'operation_id' in record ? { operation_id: record.operation_id } : {};
        return { kind: record?.kind ?? null, ...operation, ...outcome };
      });
      return json(reply, 202, { records });
    } catch (error) {
      if (!(error instanceof OperatingError)) throw error;
      return problem(reply, 503, 'the record could not be taken', { code: error.code, detail: error.message });
    }
  };

const listOperations =
  ({ operations }: OperationRoutes) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const filter = parseOperationFilter(request.query as Readonly<Record<string, unknown>>);
    if ('detail' in filter) return problem(reply, 400, 'a parameter is not right', { ...filter });
    const verdicts: unknown[] = [];
    const client = clients.get(request);
    for (const { last } of operations.list(filter)) {
      if (client !== undefined && !mayTouch(client, last.provider, last.account)) continue;
      if (verdicts.length >= LISTED_MAX) return json(reply, 200, { verdicts, more: true });
      verdicts.push(last);
    }
    return json(reply, 200, { verdicts, more: false });
  };

/**
 * `POST /v1/records`: one record, or JSON lines (`application/x-ndjson`). All of them are right or none is taken; 202 says what
 * became of each. `GET /v1/operations` lists last verdicts.
 */
export const operationRoutes =
  (routes: OperationRoutes) =>
  (server: FastifyInstance): void => {
    server.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      const types = ['application/json', 'application/x-ndjson', 'application/jsonl', 'application/json-seq'];
      // As text, bytes that are no UTF-8 would come out replaced: another record than was sent.
      scope.addContentTypeParser(types, { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
        const bytes = body as Buffer;
        if (isUtf8(bytes)) done(null, bytes.toString('utf8'));
        else done(Object.assign(new Error('the body is not UTF-8'), { statusCode: 400 }));
      });
      scope.addHook('onRequest', async (request, reply) => {
        if (!isOwnRequest(request.headers, routes.isLoopback))
          return problem(reply, 403, 'not from a web page', { detail: 'requests of web pages elsewhere are refused' });
        const refused = refusal(routes, request);
        return refused === null ? undefined : problem(reply, refused.status, 'not allowed', { detail: refused.detail });
      });
      scope.setErrorHandler(async (error, _request, reply) => {
        const { statusCode = 500, message } = error as { statusCode?: number; message: string };
        if (statusCode >= 500) routes.failed(error);
        return problem(reply, statusCode, statusCode < 500 ? message : 'a fault in Countersign itself');
      });
      scope.post('/v1/records', { bodyLimit: BODY_BYTES_MAX }, postRecords(routes));
      scope.get('/v1/operations', listOperations(routes));
    });
  };
