import { furthest } from '../../consumers/offset-order.ts';
import type { HandoffDecided, PaymentRef } from '../../evaluator/index.ts';
import type { ConsumedRecord } from '../../ports/consumed-record.ts';
import type { AppliedOffsets } from '../../ports/shard-store.ts';
import type { PublishedPayment } from '../../ports/verdict-publisher.ts';
import type { Publication } from './publication.ts';
import { readToEnd } from './read-to-end.ts';
import { APPLIED_HEADER } from './verdict-messages.ts';
import { readVerdictTail, sequenceOf, startOf, type VerdictTail } from './verdict-tail.ts';

const refOf = ({ provider, account, payment_key: key }: HandoffDecided): PaymentRef => ({
  provider: provider as PaymentRef['provider'],
  account,
  paymentId: key.slice(`${provider}:${account}:`.length),
});

interface HandoffTail {
  readonly decided: readonly HandoffDecided[];
  readonly next: number;
  readonly applied: AppliedOffsets;
}

const NO_TAIL: HandoffTail = { decided: [], next: 1, applied: {} };

/** What the handoffs partition says from sequence number `from` on, at read_committed. */
const readHandoffTail = async (
  { reader, handoffs, shard, decode }: Publication,
  from: number,
): Promise<HandoffTail> => {
  if (handoffs === undefined) return NO_TAIL;
  const { topic } = handoffs;
  const found: ConsumedRecord[] = [];
  let next = 1;
  await readToEnd(reader, topic, shard, await startOf(reader, topic, shard, from), (record) => {
    const sequence = sequenceOf(record);
    if (sequence === null) return;
    next = Math.max(next, sequence + 1);
    if (sequence >= from) found.push(record);
  });
  const decided: HandoffDecided[] = [];
  let applied: AppliedOffsets = {};
  for (const { value, headers } of found) {
    const header = headers[APPLIED_HEADER];
    if (header !== undefined) applied = furthest(applied, JSON.parse(header) as AppliedOffsets);
    if (value !== null) decided.push((await decode(value)) as HandoffDecided);
  }
  return { decided, next, applied };
};

/** Everything that a shard's output topics say from sequence number `from` on: verdicts, and answers to requests for a plan. */
export const readPublishedTail = async (publication: Publication, from: number): Promise<VerdictTail> => {
  const { reader, topic, shard, decode } = publication;
  const verdicts = await readVerdictTail(reader, topic, shard, from, decode);
  const answers = await readHandoffTail(publication, from);
  const published = new Map<string, PublishedPayment>(verdicts.published);
  for (const decided of answers.decided) {
    const payment: PublishedPayment = published.get(decided.payment_key) ?? {
      ref: refOf(decided),
      operations: new Map(),
    };
    published.set(decided.payment_key, { ...payment, handoffs: [...(payment.handoffs ?? []), decided] });
  }
  return {
    published,
    next: Math.max(verdicts.next, answers.next),
    applied: furthest(verdicts.applied, answers.applied),
  };
};

/** The sequence number after the last one in the output topics; 1 where they hold none. */
export const nextPublishedSequence = async (publication: Publication): Promise<number> =>
  (await readPublishedTail(publication, Number.MAX_SAFE_INTEGER)).next;
