import type { TopicMessages } from 'kafkajs';
import { type ChainHead, EMPTY_CHAIN, type HeldReceipt } from '../../ports/receipt-sealer.ts';
import type { PendingVerdict } from '../../ports/shard-store.ts';
import { NO_RECEIPTS } from '../../receipts/index.ts';
import type { Publication } from './publication.ts';
import { receiptChunks, verdictChunks } from './verdict-messages.ts';

/** A page of pending verdicts, ready to be sent. */
export interface SealedPage {
  /** in order; each is small enough for one request */
  readonly verdicts: readonly TopicMessages[];
  readonly receipts: readonly TopicMessages[];
  /** null: it is not known, and nothing was sealed */
  readonly head: ChainHead | null;
}

/** Seals a page, and makes the messages of both topics of it. */
export const sealPage = async (
  { receipts = null, shard, topic, encode }: Publication,
  head: ChainHead | null,
  page: readonly PendingVerdict[],
  held?: ReadonlyMap<string, HeldReceipt>,
): Promise<SealedPage> => {
  const sealed = await (receipts?.sealer ?? NO_RECEIPTS).seal(shard, head ?? EMPTY_CHAIN, page, held);
  const verdicts = await verdictChunks(sealed.verdicts, shard, encode);
  return {
    verdicts: verdicts.map((messages) => ({ topic, messages })),
    receipts:
      receipts === null
        ? []
        : receiptChunks(sealed.receipts, shard).map((messages) => ({ topic: receipts.topic, messages })),
    head: sealed.receipts.length === 0 ? head : sealed.head,
  };
};
