import type { EpochMs, JsonObject, ProviderName } from '../../src/evaluator/index.ts';
import { paymentKey, printInstant } from '../../src/evaluator/index.ts';
import { printJson } from '../../src/records/json-text.ts';
import type { Fact } from './item.ts';
import {
  millisecond,
  paypalRefund,
  shopifyRefund,
  shopifyRestRefund,
  squareRefund,
  stripeRefund,
  unixSecond,
  wordOf,
} from './refund-forms.ts';
import type { Change, TrueAnswer, TrueOperation, TruePayment, TrueRefund } from './world.ts';
import { changeAt, createdAt, majorUnits } from './world.ts';

const refOf = ({ provider, account, id }: TruePayment) => ({ provider, account, paymentId: id });
export const keyOf = (payment: TruePayment): string => paymentKey(refOf(payment));

const inputOf = ({ payment, money, intentRef, customId }: TrueOperation): JsonObject => {
  const ref = intentRef === null ? {} : { intent_ref: intentRef };
  switch (payment.provider) {
    case 'paypal':
      return {
        capture_id: payment.id,
        amount: majorUnits(money),
        currency_code: money.currency,
        ...(payment.orderId === null ? {} : { order_id: payment.orderId }),
        ...(customId === null ? {} : { custom_id: customId }),
        ...ref,
      };
    case 'square':
      return { payment_id: payment.id, amount: money.minor, currency: money.currency, ...ref };
    case 'shopify':
      return { order_id: payment.id, amount: majorUnits(money), currency_code: money.currency, ...ref };
    case 'stripe':
      return { charge_id: payment.id, amount: Number(money.minor), currency: money.currency.toLowerCase(), ...ref };
  }
};

/** `operation.started` */
export const startedRecord = (operation: TrueOperation): JsonObject => ({
  kind: 'operation.started',
  operation_id: operation.id,
  provider: operation.payment.provider,
  account: operation.payment.account,
  contract: { id: operation.contract, ...(operation.version === null ? {} : { version: operation.version }) },
  created_at: printInstant(operation.createdAt),
  idempotency_key: operation.id,
  input: inputOf(operation),
});

const resultOf = (refund: TrueRefund, at: EpochMs): JsonObject => {
  const change = changeAt(refund, at) ?? refund.changes[0];
  if (change === undefined) return {};
  switch (refund.payment.provider) {
    case 'paypal':
      // Prefer: return=minimal, PayPal's default
      return { id: refund.id, status: wordOf(refund, change) };
    case 'square':
      return { refund: squareRefund(refund, change, false) };
    case 'shopify':
      return { data: { refundCreate: { refund: { id: refund.id }, userErrors: [] } } };
    case 'stripe':
      return stripeRefund(refund, change);
  }
};

/** `operation.acted` */
export const actedRecord = (operation: TrueOperation, answer: TrueAnswer): JsonObject => ({
  kind: 'operation.acted',
  operation_id: operation.id,
  provider: operation.payment.provider,
  account: operation.payment.account,
  payment_id: operation.payment.id,
  action: {
    ...(answer.refund === null ? {} : { result: resultOf(answer.refund, answer.at) }),
    ...(answer.error === null
      ? {}
      : { error: { kind: answer.error, ...(answer.error === 'declined' ? { http_status: 422 } : {}) } }),
    completed_at: printInstant(answer.at),
  },
});

/** An event as its provider prints it. */
export interface ProviderWebhook {
  readonly provider: ProviderName;
  readonly account: string;
  readonly at: EpochMs;
  readonly body: JsonObject;
  /** what headers carry besides the signature */
  readonly headers: Readonly<Record<string, string>>;
  /** null: it says nothing of a refund */
  readonly fact: Fact | null;
}

const paypalType = ({ standing }: Change): string =>
  standing === 'complete'
    ? 'PAYMENT.CAPTURE.REFUNDED'
    : standing === 'pending'
      ? 'PAYMENT.REFUND.PENDING'
      : 'PAYMENT.REFUND.FAILED';

const stripeTypes = (change: Change, isFirst: boolean): string[] => {
  if (isFirst) return ['refund.created', ...(change.standing === 'complete' ? ['refund.updated'] : [])];
  return change.standing === 'dead' ? ['refund.failed', 'charge.refund.updated'] : ['refund.updated'];
};

const bodiesOf = (
  refund: TrueRefund,
  change: Change,
  id: string,
): { body: JsonObject; headers: Record<string, string> }[] => {
  const { payment } = refund;
  const isFirst = refund.changes[0] === change;
  switch (payment.provider) {
    case 'paypal': {
      const resource = paypalRefund(refund, change, true);
      const create_time = millisecond(payment, change.at + 40);
      const body = { id: `WH-${id}`, create_time, resource_type: 'refund', event_type: paypalType(change), resource };
      return [{ body, headers: {} }];
    }
    case 'square': {
      const types = isFirst
        ? ['refund.created', ...(change.standing === 'complete' ? ['refund.updated'] : [])]
        : ['refund.updated'];
      const data = { type: 'refund', id: refund.id, object: { refund: squareRefund(refund, change, true) } };
      return types.map((type) => ({
        // Square's own examples give created and updated one event id.
        body: { merchant_id: 'M1', type, event_id: `e-${id}`, created_at: millisecond(payment, change.at + 40), data },
        headers: {},
      }));
    }
    case 'shopify': {
      if (!isFirst) return [];
      const headers = {
        'x-shopify-topic': 'refunds/create',
        'x-shopify-shop-domain': 'example.myshopify.com',
        'x-shopify-event-id': `event-${id}`,
        'x-shopify-webhook-id': `webhook-${id}`,
        'x-shopify-triggered-at': millisecond(payment, change.at + refund.splitMs + 40),
      };
      return [{ body: shopifyRestRefund(refund, change), headers }];
    }
    case 'stripe':
      return stripeTypes(change, isFirst).map((type) => ({
        body: {
          id: `evt_${type}_${id}`,
          object: 'event',
          type,
          created: unixSecond(payment, change.at),
          data: { object: stripeRefund(refund, change) },
        },
        headers: {},
      }));
  }
};

/** What PayPal sends of a reversal: a resource like a refund's, COMPLETED. It tells nothing of any refund. */
export const reversalWebhook = (reversal: TrueRefund): ProviderWebhook | null => {
  const [change] = reversal.changes;
  if (change === undefined) return null;
  const { payment } = reversal;
  const resource = paypalRefund(reversal, change, true);
  const create_time = millisecond(payment, change.at + 40);
  const event_type = 'PAYMENT.CAPTURE.REVERSED';
  return {
    provider: payment.provider,
    account: payment.account,
    at: change.at,
    body: { id: `WH-${reversal.id}`, create_time, resource_type: 'refund', event_type, resource },
    headers: {},
    fact: null,
  };
};

/** Every event that the provider sends of a refund's life. */
export const webhooksOf = (refund: TrueRefund): ProviderWebhook[] =>
  refund.changes.flatMap((change, index) =>
    bodiesOf(refund, change, `${refund.id.slice(-12)}-${index}`).map(({ body, headers }) => ({
      provider: refund.payment.provider,
      account: refund.payment.account,
      at: change.at + refund.splitMs,
      body,
      headers,
      fact: { refundId: refund.id, standing: change.standing },
    })),
  );

/** What a provider answers to a read, as it knew it at `at` (a lagging replica knows less). */
export interface ReadAnswer {
  readonly outcome: 'ok' | 'absent';
  readonly body: string | null;
  readonly facts: readonly Fact[];
  readonly isList: boolean;
}

const ABSENT: ReadAnswer = { outcome: 'absent', body: null, facts: [], isList: false };

/** `GET` of one refund. */
export const readRefund = (refund: TrueRefund | undefined, at: EpochMs): ReadAnswer => {
  const change = refund === undefined ? null : changeAt(refund, at);
  if (refund === undefined || change === null) return ABSENT;
  const facts = [{ refundId: refund.id, standing: change.standing }];
  const answer = (body: JsonObject): ReadAnswer => ({ outcome: 'ok', body: printJson(body), facts, isList: false });
  switch (refund.payment.provider) {
    case 'paypal':
      return answer(paypalRefund(refund, change, false));
    case 'square':
      return answer({ refund: squareRefund(refund, change, false) });
    case 'shopify':
      return answer({ data: { refund: shopifyRefund(refund, change, at) } });
    case 'stripe':
      return answer(stripeRefund(refund, change));
  }
};

/** The read that lists the payment's refunds. */
export const readList = (payment: TruePayment, at: EpochMs): ReadAnswer => {
  const known = payment.refunds
    .filter((refund) => createdAt(refund) <= at)
    .map((refund) => ({ refund, change: changeAt(refund, at) }))
    .filter((one): one is { refund: TrueRefund; change: Change } => one.change !== null);
  const facts = known.map(({ refund, change }): Fact => {
    // Square lists bare ids.
    return { refundId: refund.id, standing: payment.provider === 'square' ? null : change.standing };
  });
  const answer = (body: JsonObject): ReadAnswer => ({ outcome: 'ok', body: printJson(body), facts, isList: true });
  switch (payment.provider) {
    case 'paypal': {
      if (payment.orderId === null) return ABSENT;
      const refunds = known.map(({ refund, change }) => paypalRefund(refund, change, false));
      return answer({ id: payment.orderId, purchase_units: [{ payments: { refunds } }] });
    }
    case 'square':
      return answer({ payment: { id: payment.id, refund_ids: known.map(({ refund }) => refund.id) } });
    case 'shopify': {
      const nodes = known.map(({ refund, change }) => shopifyRefund(refund, change, at));
      return answer({ data: { order: { id: payment.id, refunds: nodes } } });
    }
    case 'stripe': {
      const data = known.map(({ refund, change }) => stripeRefund(refund, change));
      return answer({ object: 'list', has_more: false, data });
    }
  }
};
