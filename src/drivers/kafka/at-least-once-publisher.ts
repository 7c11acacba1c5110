import kafkajs, { type Producer } from 'kafkajs';
import type { PendingVerdict, ShardClaim } from '../../ports/shard-store.ts';
import type { VerdictPublisher } from '../../ports/verdict-publisher.ts';
import { brokerUnavailable } from './broker-error.ts';
import { PENDING_PAGE, type Publication } from './publication.ts';
import { APPLIED_HEADER, verdictChunks } from './verdict-messages.ts';
import { nextSequenceInLog, readVerdictTail } from './verdict-tail.ts';

/**
 * Publishes without transactions: for clusters that grant none. A verdict may come twice after a crash or a take-over, with the
 * same verdict id and the same content; a reader that drops a revision it has seen loses nothing.
 */
export const createAtLeastOncePublisher = (publication: Publication): VerdictPublisher => {
  const { kafka, store, shard, topic, reader, encode, decode, faults } = publication;
  let producer: Producer | null = null;

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
  ): Promise<boolean> => {
    await faults.hit('publish-begun');
    if (!(await store.owns(shard, token))) return false;
    const chunks = await verdictChunks(page, shard, encode);
    const last = chunks.at(-1)?.at(-1);
    // There is no position that could say how far a store was that went back in time since.
    if (last !== undefined) last.headers = { ...last.headers, [APPLIED_HEADER]: JSON.stringify(applied) };
    for (const messages of chunks) await sender.send({ topic, acks: -1, messages });
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
        const published = await nextSequenceInLog(reader, topic, shard, decode);
        // The store is behind the log only where it went back in time: then no pending verdict is new.
        if (published > claim.nextVerdict) await store.trimVerdicts(shard, claim.token, published - 1);
        for (;;) {
          const page = await store.pendingVerdicts(shard, PENDING_PAGE);
          if (page.length === 0) break;
          if (!(await publishPage(producer, claim, page))) return { outcome: 'fenced' };
        }
        if (published <= claim.nextVerdict) return { outcome: 'ready', nextVerdict: claim.nextVerdict, replay: null };
        const tail = await readVerdictTail(reader, topic, shard, claim.nextVerdict, decode);
        return { outcome: 'ready', nextVerdict: tail.next, replay: { until: tail.applied, published: tail.published } };
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
