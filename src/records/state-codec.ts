import type { HandoffState, Json, PaymentState } from '../evaluator/index.ts';
import { parseJsonText, printJson } from './json-text.ts';
import { type Row, rows, text } from './state-rows/cells.ts';
import { packEvent, unpackEvent } from './state-rows/event-row.ts';
import { Frame } from './state-rows/frame.ts';
import { packList, unpackList } from './state-rows/list-row.ts';
import { packOperation, unpackOperation } from './state-rows/operation-row.ts';
import { packRefund, unpackRefund } from './state-rows/refund-row.ts';

/*
 * A payment's state as compact JSON: arrays by position, instants as distances from the last record's, digests in base64url,
 * each log coordinate's topic once. A third of the size of the plain form, and every byte of it is held a million times.
 * `FORMAT` is the first element; a change of the form gets a new number and keeps reading the old ones.
 */
const FORMAT = 1;

/** The compact text of a payment's state: what the stores hold. */
export const encodeState = (state: PaymentState): string => {
  const frame = new Frame(state.touchedAt, state.paymentId, []);
  const body = [
    Object.entries(state.operations).map(([id, operation]) => packOperation(id, operation, frame)),
    Object.entries(state.refunds).map(([id, refund]) => packRefund(id, refund, frame)),
    state.events.map((event) => packEvent(event, frame)),
    Object.entries(state.lists).map(([channel, list]) => packList(channel, list, frame)),
    Object.entries(state.dropped),
    state.isLimited ? 1 : 0,
    frame.packTime(state.evaluateAt),
    ...(state.handoff === undefined ? [] : [state.handoff as unknown as Json]),
  ];
  return printJson([FORMAT, state.provider, state.account, state.paymentId, state.touchedAt, frame.topics, ...body]);
};

/** Reads what `encodeState` wrote. Throws a JsonTextError for what is no JSON, a TypeError for another form. */
export const decodeState = (encoded: string): PaymentState => {
  const cells = parseJsonText(encoded) as Row;
  if (!Array.isArray(cells) || cells[0] !== FORMAT)
    throw new TypeError(`a state of form ${String(cells[0])}, should be ${FORMAT}`);
  const [
    ,
    provider,
    account,
    paymentId,
    touchedAt,
    topics,
    operations,
    refunds,
    events,
    lists,
    dropped,
    isLimited,
    evaluateAt,
    handoff,
  ] = cells;
  const frame = new Frame(touchedAt as number, text(paymentId), topics as string[]);
  return {
    provider: provider as PaymentState['provider'],
    account: text(account),
    paymentId: text(paymentId),
    operations: Object.fromEntries(rows(operations).map((one) => unpackOperation(one, frame))),
    refunds: Object.fromEntries(rows(refunds).map((one) => unpackRefund(one, frame))),
    events: rows(events).map((one) => unpackEvent(one, frame)),
    lists: Object.fromEntries(rows(lists).map((one) => unpackList(one, frame))),
    dropped: Object.fromEntries(rows(dropped) as unknown as [string, number][]),
    touchedAt: touchedAt as number,
    isLimited: isLimited === 1,
    evaluateAt: frame.timeOrNull(evaluateAt),
    ...(handoff === undefined ? {} : { handoff: handoff as unknown as HandoffState }),
  };
};
