import kafkajs, { type Producer } from 'kafkajs';
import type { ChainHead } from '../../ports/receipt-sealer.ts';
import type { PendingVerdict, ShardClaim } from '../../ports/shard-store.ts';
import type { VerdictPublisher } from '../../ports/verdict-publisher.ts';
import { brokerUnavailable } from './broker-error.ts';
import { PENDING_PAGE, type Publication } from './publication.ts';
import { nextPublishedSequence, readPublishedTail } from './published-tail.ts';
import { type ReceiptTail, readReceiptTail } from './receipt-log.ts';
import { sealPage } from './seal-page.ts';
import { APPLIED_HEADER } from './verdict-messages.ts';

/**
 * Publishes without transactions: for clusters that grant none. A verdict may come twice after a crash or a take-over, with the
 * same verdict id and the same content; a reader that drops a revision it has seen loses nothing.
 */
export const createAtLeastOncePublisher = (publication: Publication): VerdictPublisher => {
  const { kafka, store, shard, reader, receipts = null, faults } = publication;
  let producer: Producer | null = null;
  /** of the chain of receipts; the log alone knows it */
  let head: ChainHead | null = null;

  const discard = (): void => {
    producer?.disconnect().catch(() => undefined);
    producer = null;
  };

  const connected = async (): Promise<Producer> => {
    const fresh = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      retry: { retries: 20 },
    });
    await fresh.connect();
    return fresh;
  };

  const publishPage = async (
    sender: Producer,
    { token, applied }: ShardClaim,
    page: readonly PendingVerdict[],
    held?: ReceiptTail['held'],
  ): Promise<boolean> => {
    await faults.hit('publish-begun');
    if (!(await store.owns(shard, token))) return false;
    const sealed = await sealPage(publication, head, page, held);
    const last = sealed.verdicts.at(-1)?.messages.at(-1);
    // There is no position that could say how far a store was that went back in time since.
    if (last !== undefined) last.headers = { ...last.headers, [APPLIED_HEADER]: JSON.stringify(applied) };
    // The receipts first: who takes over after a crash in between finds them, and seals no verdict twice.
    for (const { topic: to, messages } of [...sealed.receipts, ...sealed.verdicts])
      await sender.send({ topic: to, acks: -1, messages });
    head = sealed.head;
    await faults.hit('publish-sent');
    await faults.hit('after-publish');
    await store.trimVerdicts(shard, token, page.at(-1)?.sequence ?? 0);
    await faults.hit('after-trim');
    return true;
  };

  return {
    takeOver: async (claim) => {
      discard();
      try {
        producer = await connected();
        const tail = receipts === null ? null : await readReceiptTail(reader, receipts, shard, 2 * PENDING_PAGE);
        head = tail?.head ?? null;
        const published = await nextPublishedSequence(publication);
        // The store is behind the log only where it went back in time: then no pending verdict is new.
        if (published > claim.nextVerdict) await store.trimVerdicts(shard, claim.token, published - 1);
        for (;;) {
          const page = await store.pendingVerdicts(shard, PENDING_PAGE);
          if (page.length === 0) break;
          if (!(await publishPage(producer, claim, page, tail?.held))) return { outcome: 'fenced' };
        }
        if (published <= claim.nextVerdict) return { outcome: 'ready', nextVerdict: claim.nextVerdict, replay: null };
        const { next, applied, published: said } = await readPublishedTail(publication, claim.nextVerdict);
        return { outcome: 'ready', nextVerdict: next, replay: { until: applied, published: said } };
      } catch (error) {
        discard();
        throw brokerUnavailable(`taking over the publication of shard ${shard}`, error);
      }
    },

    publish: async (claim, verdicts) => {
      if (verdicts.length === 0) return 'published';
      if (producer === null) throw new TypeError(`shard ${shard} publishes before it has taken over`);
      try {
        return (await publishPage(producer, claim, verdicts)) ? 'published' : 'fenced';
      } catch (error) {
        discard();
        throw brokerUnavailable(`publishing the verdicts of shard ${shard}`, error);
      }
    },

    close: async () => {
      const open = producer;
      producer = null;
      await open?.disconnect();
    },
  };
};
