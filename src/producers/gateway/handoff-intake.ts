import { OperatingError } from '../../errors.ts';
import {
  type HandoffDecided,
  type HandoffRefusal,
  instantMs,
  type JsonObject,
  paymentKey,
  printInstant,
} from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HandoffLookup } from '../../ports/handoff-lookup.ts';
import type { HandoffProofs } from '../../ports/handoff-proofs.ts';
import type { Timers } from '../../ports/timers.ts';
import { type HandoffRequested, keyOfRequest } from '../../records/index.ts';
import { type ProducerOptions, publish, recordOf } from '../outgoing.ts';
import { type ApiClient, mayTouch } from './api-key.ts';
import { IntakeRefused } from './operation-intake.ts';

export interface HandoffIntakeOptions {
  readonly producer: ProducerOptions;
  readonly proofs: HandoffProofs;
  readonly lookup: HandoffLookup;
  readonly clock: Clock;
  readonly timers: Timers;
  /** how long the decision is waited for */
  readonly waitMs: number;
}

/** What became of a request. */
export type HandoffAnswer =
  | { readonly outcome: 'decided'; readonly decided: HandoffDecided }
  /** published, and not decided in time */
  | { readonly outcome: 'pending'; readonly handoffId: string; readonly paymentKey: string }
  /** no payment can be told to ask */
  | { readonly outcome: 'unknown'; readonly refusals: readonly HandoffRefusal[] };

const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 250;

/** Set by us alone. */
const OURS = ['kind', 'requested_at'];

const PAYMENT_FIELDS = ['provider', 'account', 'payment_id'] as const;

type PaymentFields = Readonly<Record<(typeof PAYMENT_FIELDS)[number], string>>;

/** Neither a provider's nor an account's name holds a colon. */
const fieldsOf = (key: string): PaymentFields => {
  const [provider = '', account = '', ...rest] = key.split(':');
  return { provider, account, payment_id: rest.join(':') };
};

/**
 * Where a charge is not known there is no payment either. What else is wrong is told all the same, read as if it were of a payment
 * that cannot be.
 */
const NOWHERE: PaymentFields = { provider: 'stripe', account: 'unknown', payment_id: 'unknown' };

/** Takes requests for a plan: finds the payment by the charge's reference, sets the time, publishes, and waits for the answer. */
export class HandoffIntake {
  readonly #options: HandoffIntakeOptions;

  constructor(options: HandoffIntakeOptions) {
    this.#options = options;
  }

  /** Throws RECORD_MALFORMED (the field in `context.field`), what the producer throws, and {@link IntakeRefused} 403. */
  async request(client: ApiClient, body: JsonObject): Promise<HandoffAnswer> {
    const { proofs, lookup, producer } = this.#options;
    this.#refuseOurs(body);
    const found = await this.#paymentsOf(client, body);
    const [only, another] = found;
    const record = this.#recordOf(body, another === undefined && only !== undefined ? only : NOWHERE);
    const read = proofs.request(record);
    if (only === undefined || another !== undefined) {
      const needed = 'the reference of one charge receipt that has come in';
      const [code, seen] =
        only === undefined ? ['charge_unknown', record.charge_ref] : ['charge_conflict', 'several payments'];
      return { outcome: 'unknown', refusals: [...read.problems, { code, check: 'charge', seen, needed }] };
    }
    if (!mayTouch(client, record.provider, record.account))
      throw new IntakeRefused(403, `the key ${client.id} may not speak of ${record.provider}:${record.account}`, null);
    const ofPayment = paymentKey({
      provider: record.provider,
      account: record.account,
      paymentId: record.payment_id,
    });
    const known = await lookup.decided(read.handoffId, ofPayment);
    if (known?.decision === 'planned') return { outcome: 'decided', decided: known };
    await lookup.note(read.handoffId, ofPayment);
    await publish(producer, record, keyOfRequest(record) ?? read.handoffId, {});
    return this.#answer(read.handoffId, ofPayment, Number(instantMs(record.requested_at)));
  }

  #refuseOurs(body: JsonObject): void {
    const given = OURS.find((field) => Object.hasOwn(body, field));
    if (given === undefined) return;
    throw new OperatingError('RECORD_MALFORMED', `${given} was given, should be left out: it is set here`, {
      context: { field: given },
    });
  }

  /** The payment that the body names, else those of the client's that have the charge: of others' it is told that there is none. */
  async #paymentsOf(client: ApiClient, body: JsonObject): Promise<PaymentFields[]> {
    if (PAYMENT_FIELDS.every((field) => typeof body[field] === 'string')) {
      const [provider, account, paymentId] = PAYMENT_FIELDS.map((field) => String(body[field]));
      return [{ provider: `${provider}`, account: `${account}`, payment_id: `${paymentId}` }];
    }
    const ref = body['charge_ref'];
    if (typeof ref !== 'string') return [];
    const found = (await this.#options.lookup.paymentsOfCharge(ref)).map(fieldsOf);
    return found.filter(({ provider, account }) => mayTouch(client, provider, account));
  }

  #recordOf(body: JsonObject, payment: PaymentFields): HandoffRequested {
    const now = printInstant(this.#options.clock.now());
    return recordOf('handoff.requested', { ...body, ...payment, requested_at: now });
  }

  /** An answer to an earlier request of the same content counts only where it granted a plan. */
  async #answer(handoffId: string, ofPayment: string, askedAt: number): Promise<HandoffAnswer> {
    const { lookup, clock, timers, waitMs } = this.#options;
    const until = clock.now() + waitMs;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      const decided = await lookup.decided(handoffId, ofPayment);
      const isAnswer =
        decided !== null && (decided.decision === 'planned' || Number(instantMs(decided.requested_at)) >= askedAt);
      if (decided !== null && isAnswer) return { outcome: 'decided', decided };
      if (clock.now() >= until) return { outcome: 'pending', handoffId, paymentKey: ofPayment };
      await timers.wait(wait);
    }
  }
}
