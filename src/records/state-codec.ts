import type {
  ActionEntry,
  EventEntry,
  FoldedFacts,
  FoldedRead,
  Json,
  JsonObject,
  ListRead,
  OperationStart,
  OperationState,
  PaymentState,
  PollState,
  Published,
  RefundFacts,
  RefundState,
  ReviewEntry,
  Source,
} from '../evaluator/index.ts';
import { instantMs } from '../evaluator/index.ts';
import { parseJsonText, printJson } from './json-text.ts';

/*
 * A payment's state as compact JSON: arrays by position, instants as distances from the last record's, digests in base64url,
 * each log coordinate's topic once. A third of the size of the plain form, and every byte of it is held a million times.
 * `FORMAT` is the first element; a change of the form gets a new number and keeps reading the old ones.
 */
const FORMAT = 1;

type Cell = Json | undefined;
type Row = readonly Json[];

const STATES = ['complete', 'pending', 'dead', 'unknown', 'no_money'] as const;
const ROLES = ['refund', 'reversal', 'dispute', 'other'] as const;

const HEX_64 = /^[0-9a-f]{64}$/;

/** Hex digests in two thirds of their length; any other text behind a `~`. */
const packDigest = (text: string): string =>
  HEX_64.test(text) ? Buffer.from(text, 'hex').toString('base64url') : `~${text}`;
const unpackDigest = (text: string): string =>
  text.startsWith('~') ? text.slice(1) : Buffer.from(text, 'base64url').toString('hex');

/** Drops what is null at a row's end. */
const trim = (cells: Cell[]): Json[] => {
  let length = cells.length;
  while (length > 0 && (cells[length - 1] === null || cells[length - 1] === undefined)) length -= 1;
  return cells.slice(0, length).map((cell) => cell ?? null);
};

const text = (cell: Cell): string => cell as string;
const textOrNull = (cell: Cell): string | null => (cell ?? null) as string | null;
const row = (cell: Cell): Row => (cell ?? []) as Row;
const rows = (cell: Cell): readonly Row[] => (cell ?? []) as readonly Row[];

/** Both directions share what is said once for the whole payment. */
class Frame {
  readonly base: number;
  readonly paymentId: string;
  readonly topics: string[];

  constructor(base: number, paymentId: string, topics: string[]) {
    this.base = base;
    this.paymentId = paymentId;
    this.topics = topics;
  }

  packSource({ topic, partition, offset }: Source): Json[] {
    let index = this.topics.indexOf(topic);
    if (index < 0) index = this.topics.push(topic) - 1;
    return [index, partition, /^(?:0|[1-9]\d{0,14})$/.test(offset) ? Number(offset) : offset];
  }

  unpackSource(cell: Cell): Source {
    const [index, partition, offset] = row(cell);
    return { topic: text(this.topics[index as number]), partition: partition as number, offset: String(offset) };
  }

  packTime(at: number | null): number | null {
    return at === null ? null : this.base - at;
  }

  time(cell: Cell): number {
    return this.base - (cell as number);
  }

  timeOrNull(cell: Cell): number | null {
    return cell === null || cell === undefined ? null : this.time(cell);
  }
}

/** 1 stands for the payment that the state is of. */
const packFacts = (facts: RefundFacts, frame: Frame): Json[] =>
  trim([
    STATES.indexOf(facts.state),
    facts.status,
    facts.amount,
    facts.currency,
    facts.createdAt,
    facts.updatedAt === facts.createdAt && facts.updatedAt !== null ? 1 : facts.updatedAt,
    facts.paymentId === frame.paymentId ? 1 : facts.paymentId,
    facts.version,
    facts.echoes.length === 0 ? null : facts.echoes,
    // Nothing is no second currency, an empty list a sum in one that is not stated.
    facts.otherMoney === undefined
      ? null
      : facts.otherMoney === null
        ? []
        : [facts.otherMoney.amount, facts.otherMoney.currency],
  ]);

const unpackMoney = ([amount, currency]: Row): NonNullable<RefundFacts['otherMoney']> | null =>
  amount === undefined ? null : { amount: text(amount), currency: text(currency) };

const unpackFacts = (cell: Cell, key: string, frame: Frame): RefundFacts => {
  const [state, status, amount, currency, createdAt, updatedAt, paymentId, version, echoes, money] = row(cell);
  return {
    refundId: key,
    paymentId: paymentId === 1 ? frame.paymentId : textOrNull(paymentId),
    amount: textOrNull(amount),
    currency: textOrNull(currency),
    ...(money === undefined || money === null ? {} : { otherMoney: unpackMoney(row(money)) }),
    status: textOrNull(status),
    state: STATES[state as number] as RefundFacts['state'],
    createdAt: textOrNull(createdAt),
    updatedAt: updatedAt === 1 ? text(createdAt) : textOrNull(updatedAt),
    version: (version ?? null) as number | null,
    echoes: (echoes ?? []) as readonly string[],
  };
};

const packFolded = (folded: FoldedFacts, frame: Frame): Json[] => [
  packFacts(folded.facts, frame),
  frame.packTime(folded.at),
  packDigest(folded.sha256),
  frame.packSource(folded.source),
];

const unpackFolded = (cell: Cell, key: string, frame: Frame): FoldedFacts => {
  const [facts, at, sha256, source] = row(cell);
  return {
    facts: unpackFacts(facts, key, frame),
    at: frame.time(at),
    sha256: unpackDigest(text(sha256)),
    source: frame.unpackSource(source),
  };
};

const packRefund = (id: string, refund: RefundState, frame: Frame): Json[] =>
  trim([
    id,
    frame.packTime(refund.seenAt),
    refund.event === undefined ? null : packFolded(refund.event, frame),
    refund.acted === undefined ? null : packFolded(refund.acted, frame),
    refund.reads === undefined
      ? null
      : Object.entries(refund.reads).map(([channel, read]) => [channel, ...packFolded(read, frame), read.body]),
    refund.listed === undefined ? null : packFolded(refund.listed, frame),
  ]);

const unpackRefund = (cells: Row, frame: Frame): [string, RefundState] => {
  const [idCell, seenAt, event, acted, reads, listed] = cells;
  const id = text(idCell);
  const refund: { -readonly [K in keyof RefundState]: RefundState[K] } = { seenAt: frame.time(seenAt) };
  if (event !== null && event !== undefined) refund.event = unpackFolded(event, id, frame);
  if (acted !== null && acted !== undefined) refund.acted = unpackFolded(acted, id, frame);
  if (listed !== null && listed !== undefined) refund.listed = unpackFolded(listed, id, frame);
  if (reads !== null && reads !== undefined) {
    refund.reads = Object.fromEntries(
      rows(reads).map(([channel, ...rest]): [string, FoldedRead] => [
        text(channel),
        { ...unpackFolded(rest, id, frame), body: rest[4] as JsonObject },
      ]),
    );
  }
  return [id, refund];
};

const packEvent = (event: EventEntry, frame: Frame): Json[] =>
  trim([
    packDigest(event.key),
    event.id,
    event.type,
    ROLES.indexOf(event.role),
    frame.packTime(event.at),
    packDigest(event.sha256),
    frame.packSource(event.source),
    event.refundId,
    event.status,
    event.occurredAt,
  ]);

const unpackEvent = (cells: Row, frame: Frame): EventEntry => {
  const [key, id, type, role, at, sha256, source, refundId, status, occurredAt] = cells;
  return {
    key: unpackDigest(text(key)),
    id: text(id),
    type: text(type),
    role: ROLES[role as number] as EventEntry['role'],
    refundId: textOrNull(refundId),
    status: textOrNull(status),
    occurredAt: textOrNull(occurredAt),
    at: frame.time(at),
    sha256: unpackDigest(text(sha256)),
    source: frame.unpackSource(source),
  };
};

const packStart = (id: string, start: OperationStart, frame: Frame): Json[] =>
  trim([
    start.contract.id,
    start.contract.version,
    start.createdAt,
    start.at === instantMs(start.createdAt) ? null : frame.packTime(start.at),
    start.idempotencyKey === id ? null : start.idempotencyKey,
    start.input,
    packDigest(start.identity),
    frame.packSource(start.source),
    start.handoff,
    start.observeFrom,
    start.refused === null ? null : [start.refused.code, start.refused.detail],
  ]);

const unpackStart = (id: string, cell: Cell, frame: Frame): OperationStart => {
  const [contract, version, createdAt, at, key, input, identity, source, handoff, observeFrom, refused] = row(cell);
  const [code, detail] = row(refused);
  return {
    contract: { id: text(contract), version: textOrNull(version) },
    createdAt: text(createdAt),
    at: frame.timeOrNull(at) ?? (instantMs(text(createdAt)) as number),
    idempotencyKey: textOrNull(key) ?? id,
    input: input as JsonObject,
    handoff: textOrNull(handoff),
    observeFrom: textOrNull(observeFrom),
    refused: code === undefined ? null : { code: code as 'contract_unknown' | 'input_invalid', detail: text(detail) },
    identity: unpackDigest(text(identity)),
    source: frame.unpackSource(source),
  };
};

const packAction = (action: ActionEntry, frame: Frame): Json[] =>
  trim([
    frame.packTime(action.at),
    action.completedAt,
    packDigest(action.sha256),
    action.result,
    action.refundId,
    action.error === null ? null : [action.error.kind, action.error.httpStatus, action.error.code],
  ]);

const unpackAction = (cells: Row, frame: Frame): ActionEntry => {
  const [at, completedAt, sha256, result, refundId, error] = cells;
  const [kind, httpStatus, code] = row(error);
  return {
    at: frame.time(at),
    completedAt: text(completedAt),
    sha256: unpackDigest(text(sha256)),
    result: (result ?? null) as JsonObject | null,
    refundId: textOrNull(refundId),
    error:
      kind === undefined
        ? null
        : { kind: text(kind), httpStatus: (httpStatus ?? null) as number | null, code: textOrNull(code) },
  };
};

const packPoll = (channel: string, poll: PollState, frame: Frame): Json[] =>
  trim([
    channel,
    poll.attempts,
    frame.packTime(poll.answeredAt),
    frame.packTime(poll.erroredAt),
    frame.packTime(poll.retryAt),
  ]);

const unpackPoll = ([channel, attempts, answeredAt, erroredAt, retryAt]: Row, frame: Frame): [string, PollState] => [
  text(channel),
  {
    attempts: attempts as number,
    answeredAt: frame.timeOrNull(answeredAt),
    erroredAt: frame.timeOrNull(erroredAt),
    retryAt: frame.timeOrNull(retryAt),
  },
];

const packReview = (review: ReviewEntry, frame: Frame): Json[] => [
  frame.packTime(review.at),
  review.answers,
  review.decision,
  review.reason,
  review.reviewer,
  review.decidedAt,
  packDigest(review.sha256),
];

const unpackReview = (
  [at, answers, decision, reason, reviewer, decidedAt, sha256]: Row,
  frame: Frame,
): ReviewEntry => ({
  at: frame.time(at),
  answers: text(answers),
  decision: decision as ReviewEntry['decision'],
  reason: text(reason),
  reviewer: text(reviewer),
  decidedAt: text(decidedAt),
  sha256: unpackDigest(text(sha256)),
});

/** null, true and false in one digit; null is what falls away at a row's end. */
const packMoved = (moved: boolean | null): number | null => (moved === null ? null : Number(moved));

const packPublished = (one: Published, frame: Frame): Json[] =>
  trim([
    one.revision,
    one.verdict,
    one.reason,
    frame.packTime(one.at),
    one.class,
    one.evaluated === one.reason ? null : one.evaluated,
    packMoved(one.moneyMoved),
    one.duplicates === 0 ? null : one.duplicates,
    one.told === 'wait::' ? null : one.told,
  ]);

const unpackPublished = (
  [revision, verdict, reason, at, kind, evaluated, moved, duplicates, told]: Row,
  frame: Frame,
): Published => ({
  revision: revision as number,
  verdict: verdict as Published['verdict'],
  class: (kind ?? null) as Published['class'],
  reason: text(reason),
  evaluated: textOrNull(evaluated) ?? text(reason),
  moneyMoved: moved === null || moved === undefined ? null : moved === 1,
  duplicates: (duplicates ?? 0) as number,
  told: textOrNull(told) ?? 'wait::',
  at: frame.time(at),
});

const packOperation = (id: string, operation: OperationState, frame: Frame): Json[] =>
  trim([
    id,
    operation.start === null ? null : packStart(id, operation.start, frame),
    operation.actions.map((action) => packAction(action, frame)),
    Object.entries(operation.polls).map(([channel, poll]) => packPoll(channel, poll, frame)),
    operation.published.map((one) => packPublished(one, frame)),
    operation.reviews.length === 0 ? null : operation.reviews.map((review) => packReview(review, frame)),
    operation.rivals.length === 0
      ? null
      : operation.rivals.map(({ identity, at }) => [packDigest(identity), frame.packTime(at)]),
    operation.receipt === null ? null : [operation.receipt.revision, operation.receipt.hash],
  ]);

const unpackReceipt = ([revision, hash]: Row): OperationState['receipt'] =>
  revision === undefined ? null : { revision: revision as number, hash: text(hash) };

const unpackOperation = (
  [idCell, start, actions, polls, published, reviews, rivals, receipt]: Row,
  frame: Frame,
): [string, OperationState] => {
  const id = text(idCell);
  return [
    id,
    {
      start: start === null || start === undefined ? null : unpackStart(id, start, frame),
      rivals: rows(rivals).map(([identity, at]) => ({ identity: unpackDigest(text(identity)), at: frame.time(at) })),
      actions: rows(actions).map((cells) => unpackAction(cells, frame)),
      polls: Object.fromEntries(rows(polls).map((cells) => unpackPoll(cells, frame))),
      reviews: rows(reviews).map((cells) => unpackReview(cells, frame)),
      published: rows(published).map((cells) => unpackPublished(cells, frame)),
      receipt: unpackReceipt(row(receipt)),
    },
  ];
};

const packList = (channel: string, list: ListRead, frame: Frame): Json[] => [
  channel,
  frame.packTime(list.at),
  packDigest(list.sha256),
  frame.packSource(list.source),
  list.body,
  list.refundIds,
];

const unpackList = ([channel, at, sha256, source, body, refundIds]: Row, frame: Frame): [string, ListRead] => [
  text(channel),
  {
    at: frame.time(at),
    sha256: unpackDigest(text(sha256)),
    source: frame.unpackSource(source),
    body: body as JsonObject,
    refundIds: refundIds as readonly string[],
  },
];

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
  };
};
