import { setTimeout as immediately } from 'node:timers/promises';
import type { ProviderName } from '../evaluator/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Timers } from '../ports/timers.ts';
import type { SandboxAccount } from './account.ts';
import { Agenda } from './agenda.ts';
import { Draw } from './draw.ts';
import { ManualClock } from './manual-clock.ts';
import type { Change } from './model.ts';
import { type Deliver, type Delivery, Outbox } from './outbox.ts';
import { RuleBook } from './rule-book.ts';
import type { CallRule, Scenario } from './scenario-schema.ts';
import { scheduleEvents } from './scheduled-events.ts';
import type { Attempt, SandboxEvent, Stand } from './stand.ts';
import { createStands, type Stands } from './stands.ts';
import { World } from './world.ts';

export interface SandboxOptions {
  readonly scenario: Scenario;
  /** a clock that goes by itself, with the timers to it; or one that only {@link Sandbox.advance} moves */
  readonly time: { readonly clock: Clock; readonly timers: Timers } | ManualClock;
  readonly deliver: Deliver;
  /** where webhooks go: `<this>/webhooks/<provider>/default`; without a slash at its end */
  readonly webhooksTo: () => string;
  /** where the sandbox is reached; links in answers begin with it */
  readonly address: () => string;
  readonly delivered?: (delivery: Delivery) => void;
  /** hears of what the scenario wants and cannot be done */
  readonly warned?: (message: string) => void;
  /** hears of a fault of ours, after which nothing goes on */
  readonly onFatal?: (error: unknown) => void;
}

/** The endpoint's name in the URLs that events go to. */
export const ENDPOINT = 'default';

/** How long nothing is looked at when nothing is planned. */
const IDLE_MS = 60_000;

/** The world of a scenario, its four providers, and the time that moves them. HTTP is another file's. */
export class Sandbox {
  readonly scenario: Scenario;
  readonly clock: Clock;
  readonly world: World;
  readonly outbox: Outbox;
  readonly stands: Stands;
  readonly calls: RuleBook<CallRule>;
  readonly startedAt: number;
  readonly draw: Draw;
  readonly #agenda = new Agenda();
  readonly options: SandboxOptions;
  readonly #stopping = new AbortController();
  #waking = new AbortController();
  #loop: Promise<void> | null = null;

  constructor(options: SandboxOptions) {
    const { scenario, time, deliver, webhooksTo, address } = options;
    this.options = options;
    this.scenario = scenario;
    this.clock = time instanceof ManualClock ? time : time.clock;
    this.startedAt = this.clock.now();
    this.draw = new Draw(scenario.seed);
    this.calls = new RuleBook(this.draw, 'calls', scenario.calls);
    this.world = new World(scenario, this.draw, this.#agenda, this.clock, (change) => this.#tell(change));
    this.outbox = new Outbox({
      rules: scenario.webhooks,
      draw: this.draw,
      agenda: this.#agenda,
      clock: this.clock,
      deliver,
      urlOf: (provider) => `${webhooksTo()}/webhooks/${provider}/${ENDPOINT}`,
      sign: (event, attempt, isForged) => this.#sign(event, attempt, isForged),
      delivered: (delivery) => options.delivered?.(delivery),
    });
    this.stands = createStands({
      world: this.world,
      draw: this.draw,
      clock: this.clock,
      address,
      redeliver: (provider, id) => this.redeliver(provider, id),
      transmission: (id) => this.outbox.transmission(id),
      eventBody: (provider, id) => this.outbox.event(provider, id)?.body ?? null,
    });
    for (const payment of scenario.payments) this.world.pay(payment);
    scheduleEvents(scenario, this.world, this.#agenda, this.startedAt, (message) => options.warned?.(message));
  }

  /** tasks that are planned */
  get planned(): number {
    return this.#agenda.size;
  }

  get isManual(): boolean {
    return this.options.time instanceof ManualClock;
  }

  /** Does all that is due by now. */
  catchUp(): void {
    for (let task = this.#agenda.take(this.clock.now()); task !== null; task = this.#agenda.take(this.clock.now()))
      task.run();
  }

  /** Resolves when so much of the sandbox's time has passed. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#agenda.at(this.clock.now() + ms, resolve));
  }

  /** Moves a manual clock on, and does what falls due on the way, each at its own instant, each delivery to its end. */
  async advance(ms: number): Promise<void> {
    const { time } = this.options;
    if (!(time instanceof ManualClock)) throw new TypeError('this clock goes by itself');
    const until = time.now() + ms;
    for (;;) {
      this.catchUp();
      // A call that waited for this instant answers before time goes on.
      await immediately(0);
      await this.outbox.settled();
      const next = this.#agenda.nextAt;
      if (next === null || next > until) break;
      time.moveTo(next);
    }
    time.moveTo(until);
  }

  /** Sends an event again; false where there is none of this id. */
  redeliver(provider: ProviderName, id: string): boolean {
    const event = this.outbox.event(provider, id);
    if (event !== null) this.outbox.redeliver(event);
    return event !== null;
  }

  /** Lets a clock that goes by itself do its work. */
  start(): void {
    const { time } = this.options;
    if (time instanceof ManualClock) return;
    this.#agenda.onFirst(() => this.#waking.abort());
    this.#loop ??= this.#run(time.timers).catch((error: unknown) => this.options.onFatal?.(error));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#waking.abort();
    await this.#loop;
    await this.outbox.settled();
  }

  async #run(timers: Timers): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#waking = new AbortController();
      this.catchUp();
      const waitMs = Math.min((this.#agenda.nextAt ?? Number.POSITIVE_INFINITY) - this.clock.now(), IDLE_MS);
      if (!this.#stopping.signal.aborted && waitMs > 0) await timers.wait(waitMs, this.#waking.signal);
    }
  }

  #tell(change: Change): void {
    const { provider, account } = change.kind === 'payment_reversed' ? change.payment : change.refund;
    const payment = change.kind === 'payment_reversed' ? change.payment.id : change.refund.payment.id;
    for (const event of this.stands[provider].eventsOf(change)) this.outbox.post(event, { provider, account, payment });
  }

  #sign(event: SandboxEvent, attempt: Attempt, isForged: boolean): Readonly<Record<string, string>> {
    const account = this.world.accounts.find((one) => one.provider === event.provider && one.account === event.account);
    if (account === undefined) throw new TypeError(`an event of ${event.account}, which is no account`);
    // The stand of an account's provider takes that account.
    const stand = this.stands[event.provider] as unknown as Stand<ProviderName>;
    const signing: SandboxAccount = isForged ? stand.forged(account) : account;
    return stand.sign(event, signing, attempt);
  }
}
