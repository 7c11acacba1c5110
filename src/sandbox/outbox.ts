import type { ProviderName } from '../evaluator/index.ts';
import type { Clock } from '../ports/clock.ts';
import { printJson } from '../records/json-text.ts';
import type { Agenda } from './agenda.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Draw } from './draw.ts';
import { drifted } from './drift.ts';
import type { Span } from './duration.ts';
import { redeliveryMs } from './redelivery.ts';
import { drawn } from './refund-course.ts';
import { meetsAll, RuleBook } from './rule-book.ts';
import type { WebhookRule } from './scenario-schema.ts';
import type { Attempt, NewEvent, SandboxEvent } from './stand.ts';

/** Sends a webhook; the status that answered it, null where nobody did. Never rejects. */
export type Deliver = (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<number | null>;

/** What became of one delivery. */
export interface Delivery {
  readonly event: string;
  readonly type: string;
  readonly provider: ProviderName;
  readonly account: string;
  readonly payment: string;
  /** which of the event's deliveries, from 1, and which attempt at it */
  readonly copy: number;
  readonly attempt: number;
  readonly at: number;
  readonly outcome: 'acknowledged' | 'refused' | 'unreachable' | 'lost';
  /** null where nobody answered */
  readonly status: number | null;
}

export interface OutboxOptions {
  readonly rules: readonly WebhookRule[];
  readonly draw: Draw;
  readonly agenda: Agenda;
  readonly clock: Clock;
  readonly deliver: Deliver;
  /** where an account's events go */
  readonly urlOf: (provider: ProviderName) => string;
  /** the signed headers of a delivery */
  readonly sign: (event: SandboxEvent, attempt: Attempt, isForged: boolean) => Readonly<Record<string, string>>;
  readonly delivered: (delivery: Delivery) => void;
}

interface Transmission {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const DELAY: Span = { leastMs: 100, mostMs: 1_000 };
const GAP: Span = { leastMs: 500, mostMs: 5_000 };
const KEPT_MAX = 10_000;

/** Sends events out: late, doubled, lost or forged as the rules say, and again where they are not acknowledged. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #rules: RuleBook<WebhookRule>;
  readonly #events = new BoundedMap<SandboxEvent>();
  readonly #transmissions = new BoundedMap<Transmission>(KEPT_MAX);
  readonly #underWay = new Set<Promise<void>>();
  readonly deliveries: Delivery[] = [];
  #redelivered = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#rules = new RuleBook(options.draw, 'webhooks', options.rules);
  }

  get rules(): RuleBook<WebhookRule> {
    return this.#rules;
  }

  events(): readonly SandboxEvent[] {
    return [...this.#events.values()];
  }

  event(provider: ProviderName, id: string): SandboxEvent | null {
    return this.#events.get(`${provider}:${id}`) ?? null;
  }

  transmission(id: string): Transmission | null {
    return this.#transmissions.get(id) ?? null;
  }

  /** Takes an event in: it is delivered when its rule lets it. */
  post(given: NewEvent, about: Pick<SandboxEvent, 'provider' | 'account' | 'payment'>): void {
    const { draw, clock } = this.#options;
    const { id, type } = given;
    const rule = this.#rules.find(({ when }) => meetsAll(when, { ...about, type }), `${id}/${type}`);
    const event = { id, type, ...about, at: clock.now(), body: printJson(drifted(given.body, rule?.drift)) };
    this.#events.set(`${about.provider}:${id}`, event);
    let delayMs = drawn(draw, `webhook/${id}/${type}/delay`, rule?.delay ?? DELAY);
    for (let copy = 1; copy <= (rule?.copies ?? 1); copy += 1) {
      if (copy > 1) delayMs += drawn(draw, `webhook/${id}/${type}/gap/${copy}`, rule?.gap ?? GAP);
      if (rule?.lost === true) this.#note(event, copy, 1, 'lost', null);
      else this.#plan(event, copy, 1, delayMs, rule?.forged === true);
    }
  }

  /** Delivers an event once more, now. */
  redeliver(event: SandboxEvent): void {
    this.#redelivered += 1;
    this.#plan(event, 1_000 + this.#redelivered, 1, 0, false);
  }

  /** Resolves when no delivery is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #plan(event: SandboxEvent, copy: number, attempt: number, delayMs: number, isForged: boolean): void {
    const { agenda, clock } = this.#options;
    agenda.at(clock.now() + delayMs, () => {
      const task = this.#send(event, copy, attempt, isForged).finally(() => this.#underWay.delete(task));
      this.#underWay.add(task);
    });
  }

  async #send(event: SandboxEvent, copy: number, number: number, isForged: boolean): Promise<void> {
    const { deliver, urlOf, sign, clock } = this.#options;
    const url = urlOf(event.provider);
    const name = `transmission/${event.id}/${event.type}/${copy}/${number}`;
    const headers = sign(event, { url, now: clock.now(), number, name }, isForged);
    const id = headers['paypal-transmission-id'];
    if (id !== undefined && !isForged) this.#transmissions.set(id, { body: event.body, headers });
    const status = await deliver(url, { 'content-type': 'application/json', ...headers }, event.body);
    const isTaken = status !== null && status >= 200 && status < 300;
    this.#note(event, copy, number, isTaken ? 'acknowledged' : status === null ? 'unreachable' : 'refused', status);
    const againMs = isTaken ? null : redeliveryMs(event.provider, number);
    if (againMs !== null) this.#plan(event, copy, number + 1, againMs, isForged);
  }

  #note(event: SandboxEvent, copy: number, attempt: number, outcome: Delivery['outcome'], status: number | null): void {
    const { id, type, provider, account, payment } = event;
    const at = this.#options.clock.now();
    const delivery: Delivery = { event: id, type, provider, account, payment, copy, attempt, at, outcome, status };
    if (this.deliveries.length >= KEPT_MAX) this.deliveries.shift();
    this.deliveries.push(delivery);
    this.#options.delivered(delivery);
  }
}
