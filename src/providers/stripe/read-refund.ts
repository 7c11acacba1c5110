import type { Json, JsonObject } from '../../evaluator/index.ts';
import type { ReadOutcome } from '../../ports/provider-reader.ts';
import { printJson } from '../../records/json-text.ts';
import type { StripeAccount } from '../account.ts';
import {
  apiAnswer,
  otherResource,
  type ReadApi,
  type ReadTools,
  readError,
  understood,
  unreadable,
} from '../api-call.ts';
import { own, ownText } from '../own.ts';
import { pathSegment } from '../path-segment.ts';
import { stripeAnswer, stripeErrorCode } from './normalise.ts';

const PAGE = 100;
/** A payment's state keeps at most 200 refunds: what lies further says nothing more. */
const PAGES_MAX = 5;

const headersOf = ({ secretKey, apiVersion, connectedAccount }: StripeAccount): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Bearer ${secretKey}`,
  'stripe-version': apiVersion,
  ...(connectedAccount === null ? {} : { 'stripe-account': connectedAccount }),
});

const readOne = async (account: StripeAccount, id: string, { send, now }: ReadTools): Promise<ReadOutcome> => {
  const segment = pathSegment(id);
  if (segment === null) return unreadable('resource_id', 'the id of a refund');
  const answer = apiAnswer(
    await send({ method: 'GET', path: `/v1/refunds/${segment}`, headers: headersOf(account) }),
    now(),
    stripeErrorCode,
  );
  if (answer.outcome !== 'body') return answer;
  const found = ownText(answer.body, 'id');
  if (found !== null && found !== id) return otherResource('body.id', answer.status);
  return understood(stripeAnswer(answer.body, 'refund'), answer.status, answer.text);
};

/** The pages as one: the first page's members, all pages' data. */
const joined = (first: JsonObject, data: readonly Json[], hasMore: boolean): string =>
  printJson({ ...first, data, has_more: hasMore });

/** `GET /v1/refunds?charge=…`, page by page. A list with pages left unread says so: it cannot prove that a refund is absent. */
const readList = async (account: StripeAccount, charge: string, { send, now }: ReadTools): Promise<ReadOutcome> => {
  const headers = headersOf(account);
  let first: JsonObject | null = null;
  let data: readonly Json[] = [];
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    const query: URLSearchParams = new URLSearchParams({ charge, limit: String(PAGE) });
    if (after !== null) query.set('starting_after', after);
    const answer = apiAnswer(
      await send({ method: 'GET', path: `/v1/refunds?${query}`, headers }),
      now(),
      stripeErrorCode,
    );
    if (answer.outcome !== 'body') return answer;
    const { body, status } = answer;
    const elements = own(body, 'data');
    if (!Array.isArray(elements)) return readError('malformed', 'body.data: was missing, should list refunds', status);
    const refunds = elements as readonly Json[];
    const hasMore = own(body, 'has_more') === true;
    // The usual answer stays as it came.
    if (first === null && !hasMore) return understood(stripeAnswer(body, 'payment'), status, answer.text);
    first ??= body;
    data = [...data, ...refunds];
    const last = ownText(refunds.at(-1), 'id');
    if (hasMore && page < PAGES_MAX && last !== null && last !== after) {
      after = last;
      continue;
    }
    const whole = { ...first, data, has_more: hasMore };
    return understood(stripeAnswer(whole, 'payment'), status, joined(first, data, hasMore));
  }
};

/** Reads `GET /v1/refunds/{id}`, and for the list `GET /v1/refunds?charge=…`. */
export const readStripe =
  (account: StripeAccount): ReadApi =>
  async ({ reads, resourceId, paymentId }, tools) => {
    if (reads === 'payment') return readList(account, paymentId, tools);
    return resourceId === null ? unreadable('resource_id', 'the id of a refund') : readOne(account, resourceId, tools);
  };
