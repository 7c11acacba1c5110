import type { Contract } from '../../evaluator/contract.ts';
import { instantMs, printInstant } from '../../evaluator/instant.ts';
import type { Json, JsonObject } from '../../evaluator/json.ts';
import { printJson } from '../../records/json-text.ts';
import { PROVIDER_BODIES, type ToldRefund, wholeNumber } from './bodies.ts';
import type { Case, CaseRecord, Intended, Said } from './format.ts';
import { offsetMs } from './offset.ts';

/** A line of a record log (docs/reference/records.md). */
export interface CaseLine {
  readonly topic: string;
  readonly value: JsonObject;
}

const START = '2026-09-01T12:00:00.350Z';
const ACCOUNT = 'merchant-1';

/** The moment a case starts, milliseconds since the epoch. */
export const caseStart = (story: Case): number => instantMs(story.start ?? START) ?? 0;

const DEFAULT_STATUS = { paypal: 'COMPLETED', square: 'COMPLETED', shopify: 'SUCCESS', stripe: 'succeeded' } as const;

const fieldOf = (path: string): string => path.slice('$input.'.length);

/** Writes a case's records in the forms that producers publish and providers print. */
class Expansion {
  readonly #story: Case;
  readonly #contract: Contract;
  readonly #startMs: number;

  constructor(story: Case, contract: Contract) {
    this.#story = story;
    this.#contract = contract;
    this.#startMs = caseStart(story);
  }

  get #bodies() {
    return PROVIDER_BODIES[this.#contract.provider];
  }

  #at(offset: string): number {
    return this.#startMs + offsetMs(offset);
  }

  get #payment(): string {
    return this.#story.payment ?? this.#bodies.payment;
  }

  #operation(name: string): Intended {
    return this.#story.operations?.[name] ?? {};
  }

  #amountOf({ amount }: Intended): string | number | bigint {
    const isMinor = this.#contract.input.fields[fieldOf(this.#contract.input.amount)]?.type === 'amount_minor';
    if (!isMinor) return amount ?? '10.00';
    // Minor units are a number; told as text where a double cannot hold them.
    return typeof amount === 'string' && /^\d+$/.test(amount) ? wholeNumber(amount) : (amount ?? 1000);
  }

  #firstOperation(): string {
    return Object.keys(this.#story.operations ?? {})[0] ?? Object.keys(this.#story.expect)[0] ?? 'op-1';
  }

  #input(intended: Intended): JsonObject {
    const { input } = this.#contract;
    const { currency = 'USD', input: extra = {} } = intended;
    const currencyField =
      input.currency === null
        ? Object.keys(input.fields).find((name) => input.fields[name]?.type === 'currency')
        : fieldOf(input.currency);
    return {
      [fieldOf(input.payment_id)]: this.#payment,
      [fieldOf(input.amount)]: this.#amountOf(intended),
      ...(currencyField === undefined ? {} : { [currencyField]: currency }),
      ...extra,
    };
  }

  /** The refund as it is told at `atMs`: the record's own words, then the refund's entry, then the intent. */
  #refund(name: string, atMs: number, words: Said): ToldRefund {
    const told = { ...(this.#story.refunds?.[name] ?? {}), ...words };
    const intended = this.#operation(this.#firstOperation());
    const amount = told.amount ?? this.#amountOf(intended);
    const currency = told.currency ?? intended.currency ?? 'USD';
    const createdMs = this.#at(told.created ?? '+1s');
    const status = told.status ?? DEFAULT_STATUS[this.#contract.provider];
    return {
      id: this.#bodies.refundId(name),
      status,
      amount,
      currency,
      payment: told.payment === undefined ? this.#payment : told.payment,
      createdMs,
      updatedMs: told.updated === undefined ? Math.max(atMs, createdMs) : this.#at(told.updated),
      echo: told.echo ?? null,
      transactions: (told.transactions ?? [{ status }]).map((one) => ({
        status: one.status,
        amount: String(one.amount ?? amount),
        kind: one.kind ?? 'REFUND',
      })),
      otherMoney:
        told.other_money === undefined
          ? null
          : { amount: String(told.other_money.amount), currency: told.other_money.currency },
      extra: told.extra ?? {},
    };
  }

  #tenant(): JsonObject {
    return { provider: this.#contract.provider, account: ACCOUNT };
  }

  #readback(operation: string, atMs: number, channel: string, rest: JsonObject): CaseLine {
    return {
      topic: 'readback-result',
      value: {
        kind: 'readback.result',
        operation_id: operation,
        ...this.#tenant(),
        payment_id: this.#payment,
        channel,
        requested_at: printInstant(atMs - 50),
        observed_at: printInstant(atMs),
        ...rest,
      },
    };
  }

  #acted(operation: string, action: JsonObject): CaseLine {
    return {
      topic: 'operation-started',
      value: {
        kind: 'operation.acted',
        operation_id: operation,
        ...this.#tenant(),
        payment_id: this.#payment,
        action,
      },
    };
  }

  line(record: CaseRecord, index: number): CaseLine {
    const atMs = this.#at('at' in record ? record.at : '+0s');
    const at = printInstant(atMs);
    if ('start' in record) {
      const { at: _at, start: operation, ...restated } = record;
      const intended = { ...this.#operation(operation), ...restated };
      const [id = '', version = ''] = (intended.contract ?? this.#story.contract).split('@');
      const { key, observe_from: from } = intended;
      return {
        topic: 'operation-started',
        value: {
          kind: 'operation.started',
          operation_id: operation,
          ...this.#tenant(),
          contract: { id, ...(version === '' ? {} : { version }) },
          created_at: at,
          ...(key === undefined ? {} : { idempotency_key: key }),
          ...(from === undefined ? {} : { observe_from: printInstant(this.#at(from)) }),
          input: this.#input(intended),
        },
      };
    }
    if ('acted' in record) {
      const result = this.#bodies.result(this.#refund(record.refund, atMs, words(record)));
      return this.#acted(record.acted, { result, completed_at: at });
    }
    if ('failed' in record) {
      const { error: kind, http_status: status, body } = record;
      const error = {
        kind,
        ...(status === undefined ? {} : { http_status: status }),
        ...(body === undefined ? {} : { body }),
      };
      return this.#acted(record.failed, { error, completed_at: at });
    }
    if ('event' in record) {
      const refund = this.#refund(record.refund, atMs, words(record));
      const event = { id: record.id ?? `event-${index}`, type: record.event, occurredMs: refund.updatedMs };
      const { headers, body } = this.#bodies.event(event, refund);
      return {
        topic: 'webhook-received',
        value: {
          kind: 'webhook.received',
          ...this.#tenant(),
          endpoint: 'default',
          headers,
          body: printJson(body),
          received_at: at,
        },
      };
    }
    if ('read' in record) {
      const refund = this.#refund(record.refund, atMs, words(record));
      return this.#readback(record.read, atMs, record.channel ?? 'refund_readback', {
        resource_id: refund.id,
        outcome: 'ok',
        http_status: 200,
        body: printJson(this.#bodies.read(refund)),
      });
    }
    if ('absent' in record) {
      const resource = record.refund === undefined ? {} : { resource_id: this.#bodies.refundId(record.refund) };
      return this.#readback(record.absent, atMs, record.channel ?? 'refund_readback', {
        ...resource,
        outcome: 'absent',
        http_status: 404,
      });
    }
    if ('unread' in record) {
      return this.#readback(record.unread, atMs, record.channel ?? 'refund_readback', {
        outcome: 'error',
        error: { kind: record.error, message: 'no answer' },
      });
    }
    if ('list' in record) {
      const refunds = record.refunds.map((name) => this.#refund(name, atMs, {}));
      return this.#readback(record.list, atMs, record.channel ?? 'payment_readback', {
        purpose: 'list',
        outcome: 'ok',
        http_status: 200,
        body: printJson(this.#bodies.list(this.#payment, refunds)),
      });
    }
    if ('review' in record) {
      const key = `${this.#contract.provider}:${ACCOUNT}:${this.#payment}`;
      return {
        topic: 'review-decided',
        value: {
          kind: 'review.decided',
          operation_id: record.review,
          ...this.#tenant(),
          payment_id: this.#payment,
          answers: `${key}/${record.review}:${record.answers}`,
          decision: record.decision,
          reason: 'Seen in the dashboard.',
          reviewer: 'reviewer@example.com',
          decided_at: at,
        },
      };
    }
    return { topic: record.topic, value: record.value as { readonly [key: string]: Json } };
  }
}

const SAID = [
  'status',
  'amount',
  'currency',
  'payment',
  'created',
  'updated',
  'echo',
  'transactions',
  'other_money',
  'extra',
];

const words = (record: CaseRecord): Said =>
  Object.fromEntries(Object.entries(record).filter(([name]) => SAID.includes(name)));

/** The log lines of a case, in the order told, and the instant to move time to at the end. */
export const expandCase = (
  story: Case,
  contract: Contract,
): { readonly lines: readonly CaseLine[]; readonly until: string } => {
  const expansion = new Expansion(story, contract);
  return {
    lines: story.records.map((record, index) => expansion.line(record, index)),
    until: printInstant(caseStart(story) + offsetMs(story.until)),
  };
};

/** The provider's id of a refund that a case names. */
export const refundIdOf = (name: string, contract: Contract): string =>
  PROVIDER_BODIES[contract.provider].refundId(name);
