import { isJsonObject, type Json, type JsonObject } from '../../evaluator/index.ts';
import type { ReadOutcome } from '../../ports/provider-reader.ts';
import { printJson } from '../../records/json-text.ts';
import type { ShopifyAccount } from '../account.ts';
import { otherResource, type ReadApi, type ReadTools, readError, understood, unreadable } from '../api-call.ts';
import { own, ownList, ownObject, ownText } from '../own.ts';
import { shopifyAnswer } from './answer.ts';
import { type GraphqlAnswer, queryShopify } from './graphql-call.ts';
import * as queries from './queries.ts';

/** Pages of transactions that are read of one refund. One with more says so. */
const TRANSACTION_PAGES_MAX = 10;

type Failed = Exclude<GraphqlAnswer, { outcome: 'data' }>;
type Whole = { readonly outcome: 'whole'; readonly value: JsonObject; readonly isChanged: boolean } | Failed;

class ShopifyReads {
  readonly #account: ShopifyAccount;
  readonly #tools: ReadTools;

  constructor(account: ShopifyAccount, tools: ReadTools) {
    this.#account = account;
    this.#tools = tools;
  }

  async refund(id: string): Promise<ReadOutcome> {
    const answer = await this.#query(queries.REFUND_QUERY, { id });
    if (answer.outcome === 'error') return answer;
    const refund = own(answer.data, 'refund');
    if (refund === null) return { outcome: 'absent', httpStatus: answer.status };
    if (!isJsonObject(refund)) return readError('malformed', 'body.data.refund: was missing', answer.status);
    if (ownText(refund, 'id') !== id) return otherResource('body.data.refund.id', answer.status);
    const whole = await this.#withTransactions(refund);
    if (whole.outcome === 'error') return whole;
    return published({ refund: whole.value }, answer.status, whole.isChanged ? null : answer.text);
  }

  async order(id: string): Promise<ReadOutcome> {
    const answer = await this.#query(queries.ORDER_QUERY, { id });
    if (answer.outcome === 'error') return answer;
    const order = own(answer.data, 'order');
    if (order === null) return { outcome: 'absent', httpStatus: answer.status };
    if (!isJsonObject(order) || !Array.isArray(own(order, 'refunds'))) {
      return readError('malformed', 'body.data.order.refunds: was missing', answer.status);
    }
    if (ownText(order, 'id') !== id) return otherResource('body.data.order.id', answer.status);
    const first = ownList(order, 'refunds');
    const rest = first.length < queries.REFUNDS_FIRST ? { refunds: [], isCut: false } : await this.#further(id, first);
    if ('outcome' in rest) return rest;
    const refunds: Json[] = [];
    let isChanged = rest.refunds.length > 0 || rest.isCut;
    for (const refund of [...first, ...rest.refunds]) {
      if (!isJsonObject(refund))
        return readError('malformed', 'body.data.order.refunds: holds no refund', answer.status);
      const whole = await this.#withTransactions(refund);
      if (whole.outcome === 'error') return whole;
      isChanged ||= whole.isChanged;
      refunds.push(whole.value);
    }
    if (!isChanged) return published({ order }, answer.status, answer.text);
    // A list that may go on is told as a connection does it: it cannot prove that a refund is absent.
    const listed: Json = rest.isCut ? { nodes: refunds, pageInfo: { hasNextPage: true } } : refunds;
    return published({ order: { ...order, refunds: listed } }, answer.status, null);
  }

  /** The refunds behind the first ones. `order.refunds` has no pages: the ids are asked for, then what is not known yet. */
  async #further(id: string, first: readonly Json[]): Promise<{ refunds: Json[]; isCut: boolean } | Failed> {
    const answer = await this.#query(queries.REFUND_IDS_QUERY, { id });
    if (answer.outcome === 'error') return answer;
    const named = ownList(ownObject(answer.data, 'order') ?? undefined, 'refunds').map((refund) =>
      ownText(refund, 'id'),
    );
    const known = new Set(first.map((refund) => ownText(refund, 'id')));
    const missing = named.filter((each): each is string => each !== null && !known.has(each));
    const refunds: Json[] = [];
    for (let from = 0; from < missing.length; from += queries.REFUNDS_BATCH) {
      const ids = missing.slice(from, from + queries.REFUNDS_BATCH);
      const batch = await this.#query(queries.REFUNDS_QUERY, { ids });
      if (batch.outcome === 'error') return batch;
      const nodes = ownList(batch.data, 'nodes');
      if (nodes.length !== ids.length)
        return readError('malformed', 'body.data.nodes: are not those asked for', batch.status);
      refunds.push(...nodes);
    }
    return { refunds, isCut: named.length >= queries.REFUNDS_MAX };
  }

  /** The refund with every page of its transactions in one. */
  async #withTransactions(refund: JsonObject): Promise<Whole> {
    const id = ownText(refund, 'id');
    let page = ownObject(refund, 'transactions');
    if (id === null || page === null) return { outcome: 'whole', value: refund, isChanged: false };
    let nodes: readonly Json[] = ownList(page, 'nodes');
    let after = nextOf(page);
    if (after === null) return { outcome: 'whole', value: refund, isChanged: false };
    for (let pages = 1; after !== null && pages < TRANSACTION_PAGES_MAX; pages += 1) {
      const answer: GraphqlAnswer = await this.#query(queries.TRANSACTIONS_QUERY, { id, after });
      if (answer.outcome === 'error') return answer;
      page = ownObject(ownObject(answer.data, 'refund') ?? undefined, 'transactions');
      if (page === null) return readError('malformed', 'body.data.refund.transactions: was missing', answer.status);
      nodes = [...nodes, ...ownList(page, 'nodes')];
      after = nextOf(page);
    }
    const transactions = { nodes, pageInfo: { hasNextPage: after !== null } };
    return { outcome: 'whole', value: { ...refund, transactions }, isChanged: true };
  }

  #query(query: string, variables: JsonObject): Promise<GraphqlAnswer> {
    return queryShopify(this.#account, query, variables, this.#tools);
  }
}

/** The cursor of the next page; null where there is none. */
const nextOf = (connection: JsonObject): string | null => {
  const pageInfo = ownObject(connection, 'pageInfo') ?? undefined;
  return own(pageInfo, 'hasNextPage') === true ? ownText(pageInfo, 'endCursor') : null;
};

/** As it came, where one answer says it all. */
const published = (data: JsonObject, status: number, text: string | null): ReadOutcome =>
  understood(shopifyAnswer({ data }), status, text ?? printJson({ data }));

/** Reads `refund(id:)`, and for the list `order.refunds`, with all their pages. */
export const readShopify =
  (account: ShopifyAccount): ReadApi =>
  async ({ reads, resourceId, paymentId }, tools) => {
    const shopify = new ShopifyReads(account, tools);
    if (reads === 'payment') return shopify.order(paymentId);
    return resourceId === null ? unreadable('resource_id', 'the gid of a refund') : shopify.refund(resourceId);
  };
