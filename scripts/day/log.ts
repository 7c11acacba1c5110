import { type Delivery, iso, type Kit, type Refund } from './kit.ts';

/** A line of the day's log, with the instant that puts it in order. */
export interface Line {
  readonly at: number;
  readonly text: string;
}

/** Gathers the day's records in the forms of the record log. */
export class Log {
  readonly #lines: Line[] = [];

  started(kit: Kit, operation: string, payment: string, minor: number, currency: string, at: number): void {
    this.#add('operation-started', at, {
      kind: 'operation.started',
      operation_id: operation,
      provider: kit.provider,
      account: kit.account,
      contract: { id: kit.contract },
      created_at: iso(at),
      idempotency_key: operation,
      input: kit.input(payment, minor, currency),
    });
  }

  acted(kit: Kit, operation: string, refund: Refund, at: number): void {
    this.#acted(kit, operation, refund.payment, { result: kit.result(refund), completed_at: iso(at) }, at);
  }

  actionFailed(kit: Kit, operation: string, payment: string, error: object, at: number): void {
    this.#acted(kit, operation, payment, { error, completed_at: iso(at) }, at);
  }

  delivered(kit: Kit, { headers, body }: Delivery, at: number): void {
    this.#add('webhook-received', at, {
      kind: 'webhook.received',
      provider: kit.provider,
      account: kit.account,
      endpoint: 'default',
      headers,
      body,
      received_at: iso(at),
    });
  }

  read(kit: Kit, operation: string, refund: Refund, attempt: number, at: number): void {
    this.#readback(kit, operation, refund, attempt, at, {
      outcome: 'ok',
      http_status: 200,
      body: kit.readback(refund),
    });
  }

  readFailed(kit: Kit, operation: string, refund: Refund, attempt: number, at: number): void {
    const error = { kind: 'server', message: 'the provider answered 503' };
    this.#readback(kit, operation, refund, attempt, at, { outcome: 'error', http_status: 503, error });
  }

  /** The log as text, in the order of its instants. */
  print(): string {
    const sorted = [...this.#lines].sort((a, b) => a.at - b.at);
    return `${sorted.map(({ text }) => text).join('\n')}\n`;
  }

  get length(): number {
    return this.#lines.length;
  }

  #acted(kit: Kit, operation: string, payment: string, action: object, at: number): void {
    this.#add('operation-started', at, {
      kind: 'operation.acted',
      operation_id: operation,
      provider: kit.provider,
      account: kit.account,
      payment_id: payment,
      action,
    });
  }

  #readback(kit: Kit, operation: string, refund: Refund, attempt: number, at: number, answer: object): void {
    this.#add('readback-result', at, {
      kind: 'readback.result',
      operation_id: operation,
      provider: kit.provider,
      account: kit.account,
      payment_id: refund.payment,
      channel: 'refund_readback',
      purpose: 'poll',
      resource_id: refund.id,
      attempt,
      requested_at: iso(at - 180),
      observed_at: iso(at),
      ...answer,
    });
  }

  #add(topic: string, at: number, value: object): void {
    this.#lines.push({ at, text: JSON.stringify({ topic, timestamp: at, value }) });
  }
}
