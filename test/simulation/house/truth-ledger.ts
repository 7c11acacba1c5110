import type { JsonObject } from '../../../src/evaluator/index.ts';
import type { InputRecord } from '../../../src/records/records.ts';
import type { About, Fact } from '../item.ts';
import { operationsOf, type World } from '../world.ts';

const signatureOf = (headers: Readonly<Record<string, unknown>>): string =>
  Object.keys(headers)
    .filter((name) => name.includes('signature') || name.includes('sig') || name.includes('hmac'))
    .sort()
    .map((name) => `${headers[name]}`)
    .join(' ');

/** Knows of every record what it is about, for the oracle: those that send it say so here. The house sees the record alone. */
export class TruthLedger {
  readonly #events = new Map<string, About>();
  readonly #reads = new Map<string, readonly Fact[]>();
  readonly #poison = new Map<string, string>();
  readonly #answers = new Map<string, string | null>();

  constructor(world: World) {
    for (const operation of operationsOf(world))
      for (const answer of operation.answers)
        this.#answers.set(`${operation.id} ${answer.at}`, answer.refund?.id ?? null);
  }

  event(headers: Readonly<Record<string, string>>, body: string, about: About): void {
    this.#events.set(`${signatureOf(headers)} ${body}`, about);
  }

  /** a provider's answer and what it tells */
  answer(body: string, facts: readonly Fact[]): void {
    this.#reads.set(body, facts);
  }

  /** bytes that must end in dead-letter with this code */
  poisoned(value: Buffer, code: string): void {
    this.#poison.set(value.toString('base64'), code);
  }

  poisonCodeOf(value: Buffer): string | null {
    return this.#poison.get(value.toString('base64')) ?? null;
  }

  aboutOf(record: InputRecord): About | null {
    switch (record.kind) {
      case 'operation.started':
        return { kind: 'started', operationId: record.operation_id };
      case 'operation.acted': {
        const key = `${record.operation_id} ${Date.parse(record.action.completed_at)}`;
        return { kind: 'acted', operationId: record.operation_id, refundId: this.#answers.get(key) ?? null };
      }
      case 'webhook.received': {
        const headers = (record.headers ?? {}) as Readonly<Record<string, unknown>>;
        return this.#events.get(`${signatureOf(headers)} ${record.body ?? ''}`) ?? null;
      }
      case 'readback.result':
        return {
          kind: 'read',
          operationId: record.operation_id,
          channel: record.channel,
          purpose: record.purpose ?? 'poll',
          outcome: record.outcome,
          isList: record.channel === 'payment_readback',
          facts: record.outcome === 'ok' ? (this.#reads.get(`${record.body ?? ''}`) ?? []) : [],
        };
      default:
        return null;
    }
  }
}

export const jsonOf = (record: InputRecord): JsonObject => record as unknown as JsonObject;
