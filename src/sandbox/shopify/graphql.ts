import {
  buildSchema,
  type DocumentNode,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLResolveInfo,
  getDirectiveValues,
  getOperationAST,
  Kind,
  parse,
  validate,
} from 'graphql';
import { isJsonObject, type Json, type JsonObject } from '../../evaluator/index.ts';
import type { AccountOf } from '../account.ts';
import { jsonBody, member, textMember } from '../http/form.ts';
import type { CallName } from '../scenario-schema.ts';
import type { StandTools } from '../stand.ts';
import { orderNode, refundNode } from './forms.ts';
import { createRefund, type RefundInput } from './refund-create.ts';
import { SCHEMA } from './schema.ts';

/** A request that could be read and that the schema allows. */
export interface GraphqlQuery {
  readonly document: DocumentNode;
  readonly variables: JsonObject;
}

const schema = buildSchema(SCHEMA);
const idempotent = schema.getDirective('idempotent');

const errorsOf = (errors: readonly GraphQLError[]): Json =>
  errors.map(({ message, locations, path, extensions }) => ({
    message,
    ...(locations === undefined ? {} : { locations: locations.map(({ line, column }) => ({ line, column })) }),
    ...(path === undefined ? {} : { path: [...path] }),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions: extensions as JsonObject }),
  }));

/** Parses and validates a request body; else the `errors` that answer it. */
export const readQuery = (text: string): GraphqlQuery | { readonly errors: Json } => {
  const body = jsonBody(text);
  const source = body === null ? null : textMember(body, 'query');
  if (source === null) return { errors: [{ message: 'query: was missing, should be a GraphQL document' }] };
  const variables = member(body ?? {}, 'variables');
  try {
    const document = parse(source, { maxTokens: 5_000 });
    const problems = validate(schema, document);
    if (problems.length > 0) return { errors: errorsOf(problems) };
    return { document, variables: isJsonObject(variables) ? variables : {} };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: errorsOf([error]) };
    throw error;
  }
};

const fieldsOf = (document: DocumentNode): readonly FieldNode[] =>
  getOperationAST(document)?.selectionSet.selections.filter((one): one is FieldNode => one.kind === Kind.FIELD) ?? [];

const CALLS: Readonly<Record<string, CallName>> = {
  refundCreate: 'refund.create',
  refund: 'refund.read',
  node: 'refund.read',
  nodes: 'refund.read',
  order: 'order.read',
};

/** What rules know a query by: its first field. */
export const callOf = (text: string): CallName => {
  const query = readQuery(text);
  const [first] = 'errors' in query ? [] : fieldsOf(query.document);
  return CALLS[first?.name.value ?? ''] ?? 'other';
};

/** The order that a query is about, where its variables or arguments name one. */
export const orderIdIn = (text: string): string | null => /gid:\/\/shopify\/Order\/\d+/.exec(text)?.[0] ?? null;

export const refundIdIn = (text: string): string | null => /gid:\/\/shopify\/Refund\/\d+/.exec(text)?.[0] ?? null;

const keyOf = (info: GraphQLResolveInfo): string | null => {
  const [field] = info.fieldNodes;
  if (field === undefined || idempotent === undefined || idempotent === null) return null;
  const key = getDirectiveValues(idempotent, field, info.variableValues)?.['key'];
  return typeof key === 'string' ? key : null;
};

/** From this version on refundCreate must carry `@idempotent`. */
const KEY_REQUIRED_FROM = '2026-04';

/** Answers queries out of the world. */
export const createGraphql = (tools: StandTools) => {
  const { world, clock } = tools;
  const now = () => clock.now();
  const create = createRefund(tools);

  const rootOf = (account: AccountOf<'shopify'>, version: string) => {
    const refund = ({ id }: { readonly id: string }): object | null => {
      const found = world.refund('shopify', id);
      return found?.account !== account.account || found.visibleAt > now() ? null : refundNode(found, now);
    };
    const order = ({ id }: { readonly id: string }): object | null => {
      const found = world.payment('shopify', id);
      return found?.account === account.account ? orderNode(found, now) : null;
    };
    const node = (given: { readonly id: string }): object | null => refund(given) ?? order(given);
    return {
      refund,
      order,
      node,
      nodes: ({ ids }: { readonly ids: readonly string[] }) => ids.map((id) => node({ id })),
      refundCreate: ({ input }: { readonly input: RefundInput }, _context: unknown, info: GraphQLResolveInfo) => {
        const key = keyOf(info);
        if (key === null && version >= KEY_REQUIRED_FROM)
          throw new GraphQLError('The @idempotent directive is required for this mutation but was not provided.', {
            extensions: { code: 'BAD_REQUEST' },
          });
        return create(input, account, key);
      },
    };
  };

  return async (
    { document, variables }: GraphqlQuery,
    account: AccountOf<'shopify'>,
    version: string,
  ): Promise<JsonObject> => {
    const rootValue = rootOf(account, version);
    const { data, errors } = await execute({
      schema,
      document,
      rootValue,
      variableValues: variables as Record<string, unknown>,
    });
    // Through text: what the executor makes has no prototypes and is not ours to hand on.
    const plain = JSON.parse(JSON.stringify(data ?? null)) as Json;
    return { data: plain, ...(errors === undefined ? {} : { errors: errorsOf(errors) }) };
  };
};
