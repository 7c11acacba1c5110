import type { ProviderName } from '../../evaluator/index.ts';
import type { AccountOf, SandboxAccount } from '../account.ts';
import { Allowance } from '../allowance.ts';
import { BoundedMap } from '../bounded-map.ts';
import { drifted } from '../drift.ts';
import { drawn } from '../refund-course.ts';
import { meetsAll } from '../rule-book.ts';
import type { Sandbox } from '../sandbox.ts';
import type { CallName, CallRule } from '../scenario-schema.ts';
import type { Answer, Route, SandboxRequest, Stand } from '../stand.ts';

/** What became of a call, for the log. `account` is null where nobody known asked. */
export interface CallMade {
  readonly provider: ProviderName;
  readonly call: CallName;
  readonly account: string | null;
  readonly payment: string | null;
  readonly at: number;
  /** null: the connection was cut instead */
  readonly status: number | null;
  /** what was done to it, by a rule */
  readonly rule: string | null;
}

/** Null: the connection is cut. */
export type Outcome = Answer | null;

const RETRY_AFTER_S = 1;
const KEPT_MAX = 10_000;

const HTML: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: null,
  text: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
};

const describe = ({ answer, lost, slow, drift }: CallRule): string =>
  [
    answer,
    lost ? 'lost' : undefined,
    slow === undefined ? undefined : 'slow',
    drift === undefined ? undefined : 'drift',
  ]
    .filter((word) => word !== undefined)
    .join(', ');

/** Answers calls: whose it is, what a rule makes of it, what the stand says. */
export class Answering {
  readonly #sandbox: Sandbox;
  readonly #made: (call: CallMade) => void;
  readonly #allowances = new Map<string, Allowance>();
  readonly calls: CallMade[] = [];
  readonly #times = new BoundedMap<number>();

  constructor(sandbox: Sandbox, made: (call: CallMade) => void) {
    this.#sandbox = sandbox;
    this.#made = made;
  }

  async answer<Name extends ProviderName>(
    stand: Stand<Name>,
    route: Route<Name>,
    request: SandboxRequest,
  ): Promise<Outcome> {
    const { clock } = this.#sandbox;
    this.#sandbox.catchUp();
    const account = stand.accountOf(request);
    const call = typeof route.call === 'function' ? route.call(request) : route.call;
    const payment = route.paymentOf?.(request) ?? null;
    const name = this.#nameOf(`${stand.provider}/${call}/${payment}/${route.aboutOf?.(request) ?? null}`);
    const rule = this.#ruleFor(
      { provider: stand.provider, account: account?.account ?? '', call, payment: payment ?? '' },
      name,
    );
    if (rule?.slow !== undefined) await this.#sandbox.wait(drawn(this.#sandbox.draw, `slow/${name}`, rule.slow));
    const outcome = await this.#outcome(stand, route, request, account, rule);
    const made: CallMade = {
      provider: stand.provider,
      call,
      account: account?.account ?? null,
      payment,
      at: clock.now(),
      status: outcome?.status ?? null,
      rule: rule === null ? null : describe(rule),
    };
    if (this.calls.length >= KEPT_MAX) this.calls.shift();
    this.calls.push(made);
    this.#made(made);
    return outcome;
  }

  async #outcome<Name extends ProviderName>(
    stand: Stand<Name>,
    { handle }: Route<Name>,
    request: SandboxRequest,
    account: AccountOf<Name> | null,
    rule: CallRule | null,
  ): Promise<Outcome> {
    if (rule?.answer === 'reset') return null;
    if (rule?.answer === 'html') return HTML;
    if (rule?.answer !== undefined) return stand.fault(rule.answer, RETRY_AFTER_S);
    const answer = handle.by === 'anyone' ? handle.run(request) : await this.#served(stand, handle, request, account);
    if (rule?.lost === true) return null;
    return answer.body === null ? answer : { ...answer, body: drifted(answer.body, rule?.drift) };
  }

  async #served<Name extends ProviderName>(
    stand: Stand<Name>,
    handle: Extract<Route<Name>['handle'], { by: 'account' }>,
    request: SandboxRequest,
    account: AccountOf<Name> | null,
  ): Promise<Answer> {
    if (account === null) return stand.fault('unauthorized', RETRY_AFTER_S);
    const waitMs = this.#allowanceOf(account)?.take(1) ?? 0;
    if (waitMs > 0) return stand.fault('rate_limited', Math.max(1, Math.ceil(waitMs / 1000)));
    return handle.run(request, account);
  }

  #ruleFor(is: Readonly<Record<string, string>>, name: string): CallRule | null {
    const { clock, startedAt, calls } = this.#sandbox;
    const since = clock.now() - startedAt;
    const isNow = ({ from = 0, until = Number.POSITIVE_INFINITY }: CallRule['when']): boolean =>
      from <= since && since < until;
    return calls.find(({ when }) => meetsAll(when, is) && isNow(when), name);
  }

  /** What its chances are drawn by: what the call is about, and which of such calls it is. */
  #nameOf(about: string): string {
    const times = (this.#times.get(about) ?? 0) + 1;
    this.#times.set(about, times);
    return `${about}/${times}`;
  }

  #allowanceOf({ provider, account }: SandboxAccount): Allowance | null {
    const limit = this.#sandbox.scenario.limits[provider];
    if (limit === undefined) return null;
    const key = `${provider}:${account}`;
    const held = this.#allowances.get(key) ?? new Allowance(limit.burst, limit.per_second, this.#sandbox.clock);
    this.#allowances.set(key, held);
    return held;
  }
}
