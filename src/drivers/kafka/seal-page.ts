import type { TopicMessages } from 'kafkajs';
import { type ChainHead, EMPTY_CHAIN, type HeldReceipt } from '../../ports/receipt-sealer.ts';
import type { PendingVerdict } from '../../ports/shard-store.ts';
import { NO_RECEIPTS } from '../../receipts/index.ts';
import type { Publication } from './publication.ts';
import { receiptChunks, verdictChunks } from './verdict-messages.ts';

/** A page of pending verdicts, ready to be sent. */
export interface SealedPage {
  /** verdicts and answers, each topic in order; each is small enough for one request */
  readonly verdicts: readonly TopicMessages[];
  readonly receipts: readonly TopicMessages[];
  /** null: it is not known, and nothing was sealed */
  readonly head: ChainHead | null;
}

/** Answers to requests for a plan are not sealed: they are no verdicts. */
const handoffMessages = async (
  { handoffs, shard }: Publication,
  answers: readonly PendingVerdict[],
): Promise<TopicMessages[]> => {
  if (answers.length === 0) return [];
  if (handoffs === undefined) throw new TypeError(`shard ${shard} has answers to publish and no topic for them`);
  const chunks = await verdictChunks(answers, shard, handoffs.encode, 'handoff.decided');
  return chunks.map((messages) => ({ topic: handoffs.topic, messages }));
};

/** Seals a page, and makes the messages of both topics of it. */
export const sealPage = async (
  publication: Publication,
  head: ChainHead | null,
  pending: readonly PendingVerdict[],
  held?: ReadonlyMap<string, HeldReceipt>,
): Promise<SealedPage> => {
  const { receipts = null, shard, topic, encode } = publication;
  const page = pending.filter((one) => one.topic === undefined);
  const sealed = await (receipts?.sealer ?? NO_RECEIPTS).seal(shard, head ?? EMPTY_CHAIN, page, held);
  const verdicts = await verdictChunks(sealed.verdicts, shard, encode);
  const handoffs = await handoffMessages(
    publication,
    pending.filter((one) => one.topic !== undefined),
  );
  return {
    verdicts: [...verdicts.map((messages) => ({ topic, messages })), ...handoffs],
    receipts:
      receipts === null
        ? []
        : receiptChunks(sealed.receipts, shard).map((messages) => ({ topic: receipts.topic, messages })),
    head: sealed.receipts.length === 0 ? head : sealed.head,
  };
};
