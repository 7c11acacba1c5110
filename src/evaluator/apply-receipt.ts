import {
  type HandoffState,
  MAX_RECEIPT_BODIES,
  MAX_RECEIPTS,
  NO_HANDOFF,
  type ReceiptBody,
  type ReceiptEntry,
  type ReceiptObservation,
  type Standing,
} from './handoff.ts';
import { own } from './json.ts';
import { orderText } from './order.ts';
import type { PaymentState } from './state.ts';

/*
 * Recording receipts: a join like all evidence. Any order and any repetition of the same receipts ends in the same state.
 */

/** The better one first. */
const STANDINGS: readonly Standing[] = ['proven', 'proofless', 'unsealed', 'reference_only'];

const withBody = (held: readonly ReceiptBody[], body: ReceiptBody | null): readonly ReceiptBody[] =>
  body === null || held.some(({ digest }) => digest === body.digest)
    ? held
    : [...held, body].sort((a, b) => orderText(a.digest, b.digest)).slice(0, MAX_RECEIPT_BODIES);

/** Of two standings the better one; of two equal ones the reason that comes first in the alphabet. */
const better = (
  a: Pick<ReceiptEntry, 'standing' | 'why'>,
  b: Pick<ReceiptEntry, 'standing' | 'why'>,
): Pick<ReceiptEntry, 'standing' | 'why'> => {
  const byStanding = STANDINGS.indexOf(a.standing) - STANDINGS.indexOf(b.standing);
  return byStanding < 0 || (byStanding === 0 && orderText(a.why ?? '', b.why ?? '') <= 0) ? a : b;
};

/** A charge receipt that is offered as a refund's, or the other way round, is another one of its reference. */
const refKey = ({ of, receiptRef }: ReceiptObservation): string => `${of}:${receiptRef}`;

/** How a receipt is named in {@link HandoffState}. */
export const chargeKey = (receiptRef: string): string => `charge:${receiptRef}`;

const entryOf = (held: ReceiptEntry | undefined, seen: ReceiptObservation): ReceiptEntry => {
  const { standing, why } = held === undefined ? seen : better(held, seen);
  return {
    of: seen.of,
    bodies: withBody(held?.bodies ?? [], seen.body),
    standing,
    why,
    at: Math.min(held?.at ?? seen.at, seen.at),
  };
};

/** Records a receipt. Pure; the state given is not changed. */
export const applyReceipt = (state: PaymentState, seen: ReceiptObservation): PaymentState => {
  const before: HandoffState = state.handoff ?? NO_HANDOFF;
  const key = refKey(seen);
  const held = own(before.receipts, key);
  const isFull = held === undefined && Object.keys(before.receipts).length >= MAX_RECEIPTS;
  const isOver =
    held !== undefined &&
    held.bodies.length >= MAX_RECEIPT_BODIES &&
    seen.body !== null &&
    !held.bodies.some(({ digest }) => digest === seen.body?.digest);
  const isLimited = before.isLimited || isFull || isOver;
  const receipts = isFull ? before.receipts : { ...before.receipts, [key]: entryOf(held, seen) };
  return { ...state, handoff: { ...before, receipts, isLimited } };
};
