import { z } from 'zod';
import { handoffDecided, handoffRequested, operationActed, operationStarted } from '../../records/index.ts';

/** `kind` is the route's own; what can be told without being given may be left out. */
const startBody = operationStarted
  .omit({ kind: true })
  .extend({ created_at: operationStarted.shape.created_at.optional() });

const actedShape = operationActed.shape;
const actionBody = operationActed.omit({ kind: true }).extend({
  operation_id: actedShape.operation_id.optional(),
  provider: actedShape.provider.optional(),
  account: actedShape.account.optional(),
  payment_id: actedShape.payment_id.optional(),
});

const handoffShape = handoffRequested.shape;
/** The payment is found by its charge, and the time is set here. */
const handoffBody = handoffRequested.omit({ kind: true, requested_at: true }).extend({
  provider: handoffShape.provider.optional(),
  account: handoffShape.account.optional(),
  payment_id: handoffShape.payment_id.optional(),
  authority: z.string(),
});

const handoffPending = z.object({
  handoff_id: z.string(),
  payment_key: z.string(),
  url: z.string(),
  decision: z.null(),
});

const takenBody = z.object({
  operation_id: z.string(),
  payment_key: z.string(),
  key: z.string(),
  created_at: z.string(),
  url: z.string(),
});

const actedAnswer = z.object({ key: z.string(), url: z.string() });

const operationBody = z.object({
  key: z.string(),
  verdict: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      'The last revision as it was published. The gateway knows it from the state: detail, refund, correlation, conditions, evidence, refunds_seen, findings, receipt, duplicates_dropped and the ids of duplicates are left out there; the verdicts topic has them, and `present` says what they are now.',
    ),
  present: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('What it comes to as of now, where the verdict waits for something or is not known in full; else null.'),
  conditions: z.array(z.record(z.string(), z.unknown())),
  revisions: z.array(z.record(z.string(), z.unknown())),
  timeline: z.record(z.string(), z.unknown()).nullable(),
});

const problemBody = z.object({
  type: z.string(),
  status: z.int(),
  title: z.string(),
  detail: z.string().optional(),
  code: z.string().optional(),
  field: z.string().optional(),
});

const INSTANTS = new Set(['created_at', 'completed_at', 'observe_from']);

const schemaOf = (schema: z.ZodType): unknown => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    // Free JSON: what the contract or the provider says it is.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const name = path.at(-1);
      if (zodSchema._zod.def.type === 'custom' && (name === 'input' || name === 'result')) jsonSchema.type = 'object';
      if (typeof name === 'string' && INSTANTS.has(name)) jsonSchema.format = 'date-time';
      // Without it: when the request came.
      if (jsonSchema.required?.includes('completed_at') === true)
        jsonSchema.required = jsonSchema.required.filter((field) => field !== 'completed_at');
    },
  });
  return rest;
};

const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema: schemaOf(schema) } } });

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

const REFUSALS = {
  '400': problem('the body is not JSON, or a field is not right; `field` names it'),
  '401': problem('no valid API key'),
  '403': problem('the key lacks the scope, or the account'),
  '413': problem('the body is too large'),
  '415': problem('the body is not application/json'),
  '503': problem('Kafka cannot take it now; send it again after `Retry-After`'),
};

const id = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string' },
  description: 'the operation id, or <payment key>/<operation id>, percent-encoded',
};

/** The OpenAPI 3.1 document of the operations API, made from the schemas that records are read by. */
export const openApiDocument = (version: string): object => ({
  openapi: '3.1.0',
  info: { title: 'Countersign operations API', version },
  security: [{ apiKey: [] }],
  paths: {
    '/v1/operations': {
      post: {
        operationId: 'startOperation',
        summary: 'Say, before the provider is called, which refund is intended.',
        requestBody: { required: true, ...json(startBody) },
        responses: {
          '202': { description: 'published; the same again gets the same answer', ...json(takenBody) },
          ...REFUSALS,
          '409': problem('the operation was started before with something else; `field` names it'),
          '422': problem('the contract is unknown, or the input is not in its form'),
        },
      },
    },
    '/v1/handoffs': {
      post: {
        operationId: 'planRefund',
        summary: 'Ask for a plan: one refund against a sealed charge, under an authority that is good once.',
        requestBody: { required: true, ...json(handoffBody) },
        responses: {
          '201': { description: 'a plan; the same request again gets the same one', ...json(handoffDecided) },
          '202': { description: 'published, and not decided yet', ...json(handoffPending) },
          ...REFUSALS,
          '422': { description: 'refused; every stop condition that holds is told', ...json(handoffDecided) },
        },
      },
    },
    '/v1/handoffs/{id}': {
      get: {
        operationId: 'readHandoff',
        summary: 'The answer to a request for a plan.',
        parameters: [{ ...id, description: 'the handoff id' }],
        responses: {
          '200': { description: 'as it was given', ...json(handoffDecided) },
          '401': REFUSALS['401'],
          '403': REFUSALS['403'],
          '404': problem('no answer to it is known here'),
          '503': problem('the state cannot be read now'),
        },
      },
    },
    '/v1/operations/{id}/action': {
      post: {
        operationId: 'reportAction',
        summary: 'Say, after the call, what the provider answered, or that it did not.',
        parameters: [id],
        requestBody: { required: true, ...json(actionBody) },
        responses: {
          '202': { description: 'published', ...json(actedAnswer) },
          ...REFUSALS,
          '404': problem('the operation is not known here; give provider, account and payment_id'),
          '409': problem('the id is one of several payments; give payment_id'),
        },
      },
    },
    '/v1/operations/{id}': {
      get: {
        operationId: 'readOperation',
        summary: "An operation's current verdict, its conditions and its timeline.",
        parameters: [
          id,
          {
            name: 'payment_key',
            in: 'query',
            required: false,
            schema: { type: 'string' },
            description: 'for a bare id',
          },
        ],
        responses: {
          '200': { description: 'as it stands', ...json(operationBody) },
          '400': problem('payment_key is empty or given more than once'),
          '401': REFUSALS['401'],
          '403': REFUSALS['403'],
          '404': problem('no such operation'),
          '409': problem('an operation of several payments; add payment_key'),
          '503': problem('the state cannot be read now'),
        },
      },
    },
  },
  components: {
    schemas: { Problem: schemaOf(problemBody) },
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
  },
});
