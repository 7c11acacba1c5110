import type { Json, ProviderName } from '../evaluator/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { AccountOf } from './account.ts';
import type { Draw } from './draw.ts';
import type { Change } from './model.ts';
import type { CallName, Fault } from './scenario-schema.ts';
import type { World } from './world.ts';

/** What a call is answered. A text goes out as it is; anything else as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** null: without a body */
  readonly body: Json | null;
  /** as it is, of the content type that `headers` names */
  readonly text?: string;
}

export interface SandboxRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** a header by its name in lower case; null where it is missing */
  header(name: string): string | null;
  /** the body as it came */
  readonly text: string;
}

/** One call of a provider's API. */
export interface Route<Name extends ProviderName> {
  readonly method: 'GET' | 'POST';
  /** as fastify writes it */
  readonly url: string;
  /** what rules know it by */
  readonly call: CallName | ((request: SandboxRequest) => CallName);
  /** the payment that the call is about, for rules; null: none is known */
  paymentOf?(request: SandboxRequest): string | null;
  /** what tells two such calls apart in each run the same way: a key, an id */
  aboutOf?(request: SandboxRequest): string | null;
  /** null: whoever asks */
  readonly handle:
    | { readonly by: 'account'; run(request: SandboxRequest, account: AccountOf<Name>): Answer | Promise<Answer> }
    | { readonly by: 'anyone'; run(request: SandboxRequest): Answer };
}

/** An event as its provider writes it. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly body: Json;
}

export interface SandboxEvent extends Omit<NewEvent, 'body'> {
  readonly provider: ProviderName;
  readonly account: string;
  readonly payment: string;
  readonly at: number;
  /** as it goes out, each time the same */
  readonly body: string;
}

/** One delivery of an event, for its signature. */
export interface Attempt {
  readonly url: string;
  readonly now: number;
  /** counts from 1 */
  readonly number: number;
  /** tells this transmission from every other */
  readonly name: string;
}

/** One provider, as far as refunds go: its calls, its events, its way of signing and of refusing. */
export interface Stand<Name extends ProviderName> {
  readonly provider: Name;
  readonly routes: readonly Route<Name>[];
  /** Whose call it is; null: nobody's that is known. */
  accountOf(request: SandboxRequest): AccountOf<Name> | null;
  /** A call that goes wrong, in the provider's form. `retryAfterS` goes with `rate_limited`. */
  fault(fault: Exclude<Fault, 'reset' | 'html'>, retryAfterS: number): Answer;
  eventsOf(change: Change): readonly NewEvent[];
  /** The headers of a delivery, its signature among them. */
  sign(event: SandboxEvent, account: AccountOf<Name>, attempt: Attempt): Readonly<Record<string, string>>;
  /** The account with keys that are not the provider's. */
  forged(account: AccountOf<Name>): AccountOf<Name>;
}

/** What the stands share. */
export interface StandTools {
  readonly world: World;
  readonly draw: Draw;
  readonly clock: Clock;
  /** where the sandbox is reached, without a slash at its end; links in answers begin with it */
  readonly address: () => string;
  /** Sends an event again; false where there is none of this id. */
  readonly redeliver: (provider: ProviderName, eventId: string) => boolean;
  /** The delivery that carried a signature, for PayPal's verification; null: none did. */
  readonly transmission: (
    id: string,
  ) => { readonly body: string; readonly headers: Readonly<Record<string, string>> } | null;
  readonly eventBody: (provider: ProviderName, eventId: string) => string | null;
}
