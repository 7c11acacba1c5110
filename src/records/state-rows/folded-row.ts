import type { FoldedFacts, Json, RefundFacts } from '../../evaluator/index.ts';
import { type Cell, packDigest, type Row, row, text, textOrNull, trim, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';

const STATES = ['complete', 'pending', 'dead', 'unknown', 'no_money'] as const;

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

/** The greatest facts that one source of evidence has given, and where they came from. */
export const packFolded = (folded: FoldedFacts, frame: Frame): Json[] => [
  packFacts(folded.facts, frame),
  frame.packTime(folded.at),
  packDigest(folded.sha256),
  frame.packSource(folded.source),
];

export const unpackFolded = (cell: Cell, key: string, frame: Frame): FoldedFacts => {
  const [facts, at, sha256, source] = row(cell);
  return {
    facts: unpackFacts(facts, key, frame),
    at: frame.time(at),
    sha256: unpackDigest(text(sha256)),
    source: frame.unpackSource(source),
  };
};
