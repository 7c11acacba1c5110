import { iso, type LoadRefund, type ProviderLoad, type Status } from './provider-load.ts';
import type { Random } from './random.ts';

export type LoadTopic = 'operation-started' | 'webhook-received' | 'readback-result';

/** One record; `value` is its JSON text, `at` its own time in milliseconds since the epoch. */
export interface LoadRecord {
  readonly topic: LoadTopic;
  readonly key: string;
  readonly at: number;
  readonly value: string;
}

/** Which of the mix an operation is. */
export interface Turn {
  /** a second refund of the same payment and amount, that nobody owns */
  readonly isDoubled: boolean;
  /** its webhook is delivered again */
  readonly isRedelivered: boolean;
  /** the provider says pending first: one more event or read */
  readonly isSlow: boolean;
  readonly isFailed: boolean;
  /** the refund call got no answer */
  readonly isLost: boolean;
}

/** The records of one operation, begun at `start`: 4 to 5, and one more where it is doubled or redelivered. */
export class Story {
  readonly records: LoadRecord[] = [];
  readonly #load: ProviderLoad;
  readonly #random: Random;
  readonly #payment: string;
  readonly #operation: string;

  constructor(load: ProviderLoad, random: Random, payment: string, operation: string) {
    this.#load = load;
    this.#random = random;
    this.#payment = payment;
    this.#operation = operation;
  }

  tell(start: number, minor: number, turn: Turn): LoadRecord[] {
    const refund = this.#refund(minor, start + 900);
    const last: Status = turn.isFailed ? 'failed' : 'settled';
    const first: Status = turn.isSlow ? 'pending' : last;
    this.#started(start, minor);
    this.#acted(start + 1200, turn.isLost ? null : this.#load.result(refund, first));
    this.#webhook(refund, first, refund.createdAt, start + 3500, turn.isRedelivered);
    const tells = this.#load.provider === 'square' || this.#load.provider === 'paypal';
    if (turn.isSlow && tells) this.#webhook(refund, last, start + 8000, start + 8600, false);
    else if (turn.isSlow) this.#read(refund, first, refund.createdAt, start + 4200, 1);
    this.#read(refund, last, start + 8000, start + 9500 + this.#random.below(20_000), 2);
    if (turn.isDoubled) this.#webhook(this.#refund(minor, start + 15_000), last, start + 15_000, start + 17_000, false);
    return this.records;
  }

  #refund(minor: number, createdAt: number): LoadRefund {
    const id = this.#load.refundId(this.#random, this.#payment);
    return { id, payment: this.#payment, minor, operation: this.#operation, createdAt };
  }

  #started(at: number, minor: number): void {
    this.#add('operation-started', at, 'operation.started', {
      operation_id: this.#operation,
      contract: { id: this.#load.contract },
      created_at: iso(at),
      idempotency_key: this.#operation,
      input: this.#load.input(this.#payment, minor),
    });
  }

  #acted(at: number, result: object | null): void {
    const answer = result === null ? { error: { kind: 'timeout' } } : { result };
    this.#add('operation-started', at, 'operation.acted', {
      operation_id: this.#operation,
      payment_id: this.#payment,
      action: { ...answer, completed_at: iso(at) },
    });
  }

  #webhook(refund: LoadRefund, status: Status, updatedAt: number, at: number, isRepeated: boolean): void {
    const event = this.#load.webhook(refund, status, updatedAt, this.#random.mixedId(36));
    for (const received of isRepeated ? [at, at + 60_000] : [at]) {
      this.#add('webhook-received', received, 'webhook.received', {
        endpoint: 'default',
        ...event,
        received_at: iso(received),
      });
    }
  }

  #read(refund: LoadRefund, status: Status, updatedAt: number, at: number, attempt: number): void {
    this.#add('readback-result', at, 'readback.result', {
      operation_id: this.#operation,
      payment_id: this.#payment,
      channel: 'refund_readback',
      purpose: 'poll',
      resource_id: refund.id,
      attempt,
      requested_at: iso(at - 180),
      observed_at: iso(at),
      outcome: 'ok',
      http_status: 200,
      body: this.#load.readback(refund, status, updatedAt),
    });
  }

  #add(topic: LoadTopic, at: number, kind: string, fields: object): void {
    const { provider, account } = this.#load;
    const value = JSON.stringify({ kind, provider, account, ...fields });
    this.records.push({ topic, key: `${provider}:${account}:${this.#payment}`, at, value });
  }
}
