import { type HandoffDecided, HOLD_GRACE_MS } from '../../../../src/evaluator/index.ts';
import type { TrueRefund } from '../../world.ts';
import type { House } from '../house.ts';
import { type Answer, appliedRecords, type Place } from './answers.ts';
import type { Start } from './desk.ts';
import { type Ask, keyOfCharge } from './desk-plan.ts';

const CENTS = 2;

/** Minor units of decimal text in major units. */
export const minorOf = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(CENTS, '0'));
};

const minorOfPlan = ({ plan }: HandoffDecided): bigint => (plan === null ? 0n : minorOf(plan.refund.amount));

/** Money of a charge that went or may go, and where the house was told of it; null: it was not. */
interface Claim {
  readonly minor: bigint;
  readonly place: Place | null;
}

const isBefore = (one: Place | null, other: Place): boolean => one !== null && one.last < other.first;
const mayBeBefore = (one: Place | null, other: Place): boolean => one !== null && one.first <= other.last;

/** What is true of charges, authorities and plans, from those who made them; independent of how the house decides. */
export class HandoffTruth {
  readonly #house: House;
  readonly #answers: readonly Answer[];
  readonly #applied: ReturnType<typeof appliedRecords>;

  constructor(house: House, answers: readonly Answer[]) {
    this.#house = house;
    this.#answers = answers;
    this.#applied = appliedRecords(house);
  }

  /** What was asked with the answer's request: every ask of the same authority, charge and sum says the same. */
  askOf({ decided }: Answer): Ask | undefined {
    return this.#house.desk.plannedBy(decided.handoff_id);
  }

  /** What can be said with certainty to be left of the charge when the request was decided: at least, and at most. */
  remaining(answer: Answer, { charge }: Ask): { readonly least: bigint; readonly most: bigint } {
    const claims = [...this.#refundsAndOperations(keyOfCharge(charge)), ...this.#plans(answer)];
    let [least, most] = [charge.minor, charge.minor];
    for (const { minor, place } of claims) {
      if (isBefore(place, answer.place)) most -= minor;
      if (mayBeBefore(place, answer.place)) least -= minor;
    }
    return { least, most };
  }

  /** Whether a receipt of the charge had surely come in, and whether one may have. */
  receipt(
    answer: Answer,
    { charge }: Ask,
    isProven: boolean,
  ): { readonly isSure: boolean; readonly isPossible: boolean } {
    const texts = new Set(
      charge.receipts.filter((one) => !isProven || one.isProven).map(({ value }) => value['receipt'] ?? null),
    );
    const places = this.#applied.flatMap(({ record, place }) =>
      record.kind === 'charge.receipt' && record.receipt_ref === charge.receiptRef && texts.has(record.receipt ?? null)
        ? [place]
        : [],
    );
    return {
      isSure: places.some((place) => isBefore(place, answer.place)),
      isPossible: places.some((place) => mayBeBefore(place, answer.place)),
    };
  }

  #refundsAndOperations(key: string): Claim[] {
    const { desk } = this.#house;
    const operations = [
      ...desk.deskPlan.plain.map(({ operation }) => operation),
      // A plan that is kept to is counted as a plan; one that is not, and a second operation on it, beside it.
      ...desk.starts
        .filter(({ conduct }) => conduct === 'amount' || conduct === 'key' || conduct === 'second')
        .map(({ operation }) => operation),
    ].filter(({ payment: { provider, account, id } }) => `${provider}:${account}:${id}` === key);
    const refunds = desk.deskPlan.dashboard.filter(
      ({ payment: { provider, account, id } }) => `${provider}:${account}:${id}` === key,
    );
    return [
      ...operations.map(({ id, money }) => ({ minor: money.minor, place: this.#startOf(id) })),
      ...refunds.map((refund) => ({ minor: refund.money.minor, place: this.#toldOf(refund) })),
    ];
  }

  /** Plans of the same payment that were granted before and not given up by then. */
  #plans(answer: Answer): Claim[] {
    const { decided, place } = answer;
    return this.#answers
      .filter(
        (other) =>
          other.decided.plan !== null &&
          other.decided.payment_key === decided.payment_key &&
          other.decided.handoff_id !== decided.handoff_id &&
          other.place.first <= place.first,
      )
      .map((other) => {
        const { hold_until: until } = other.decided.plan ?? { hold_until: '' };
        const isHeld = Date.parse(until) + HOLD_GRACE_MS > Date.parse(decided.requested_at);
        const start = this.#house.desk.starts.find((one) => this.#keeps(one, other));
        const claim = { minor: minorOfPlan(other.decided), place: other.place };
        // One whose hold is over counts from where the operation that carries it out came in.
        return isHeld ? claim : { ...claim, place: start === undefined ? null : this.#startOf(start.operation.id) };
      });
  }

  #keeps({ conduct, decided }: Start, other: Answer): boolean {
    return (
      decided.plan_digest === other.decided.plan_digest &&
      (conduct === 'keep' || conduct === 'twice' || conduct === 'late')
    );
  }

  #startOf(operationId: string): Place | null {
    return this.#earliest(
      ({ kind, ...record }) =>
        kind === 'operation.started' && 'operation_id' in record && record.operation_id === operationId,
    );
  }

  #toldOf({ id }: TrueRefund): Place | null {
    return this.#earliest(
      (record) =>
        (record.kind === 'webhook.received' || record.kind === 'readback.result') &&
        (record.body ?? '').includes(id.split('/').at(-1) ?? id),
    );
  }

  #earliest(is: (record: ReturnType<typeof appliedRecords>[number]['record']) => boolean): Place | null {
    let found: Place | null = null;
    for (const { record, place } of this.#applied) {
      if (!is(record)) continue;
      found =
        found === null ? place : { first: Math.min(found.first, place.first), last: Math.min(found.last, place.last) };
    }
    return found;
  }
}
