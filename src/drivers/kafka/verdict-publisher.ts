import type { Producer, Transaction } from 'kafkajs';
import { furthest, isBehind } from '../../consumers/offset-order.ts';
import type { ChainHead } from '../../ports/receipt-sealer.ts';
import type { PendingVerdict, ShardClaim } from '../../ports/shard-store.ts';
import type { Replay, TakeOver, VerdictPublisher } from '../../ports/verdict-publisher.ts';
import { brokerUnavailable } from './broker-error.ts';
import { PENDING_PAGE, type Publication } from './publication.ts';
import { type PublishedPosition, readPublishedPosition } from './published-position.ts';
import { readPublishedTail } from './published-tail.ts';
import { readReceiptTail } from './receipt-log.ts';
import { sealPage } from './seal-page.ts';
import { commitVerdicts, createTransactionalProducer } from './verdict-transaction.ts';

const NOTHING = { verdicts: [], receipts: [] };

/** Of the receipts log, where the position does not tell the chain's head; transactions leave marks between them. */
const TAIL_RECORDS = 20;

/** What an owner holds between take-over and the first failure. */
interface Session {
  readonly producer: Producer;
  position: PublishedPosition;
}

/**
 * Publishes a shard's verdicts exactly once at read_committed. Each transaction also commits the position it reaches. The
 * order of steps is what makes it hold while a former owner is still at work: a new producer object (the client initialises
 * a transactional id once an object), a transaction begun (which ends the former owner's), the token, and only then the
 * position, which can no longer move. After any error of the broker the producer is thrown away and the owner takes over anew.
 */
export const createTransactionalPublisher = (publication: Publication): VerdictPublisher => {
  const { store, shard, admin, reader, positionGroup, positionTopic, receipts = null, faults } = publication;
  let session: Session | null = null;

  const discard = (producer: Producer | undefined): void => {
    session = null;
    producer?.disconnect().catch(() => undefined);
  };

  const publishPage = async (
    transaction: Transaction,
    claim: ShardClaim,
    position: PublishedPosition,
    page: readonly PendingVerdict[],
    isReplaying: boolean,
  ): Promise<PublishedPosition | null> => {
    const sealed = await sealPage(publication, position.chain, page);
    const next: PublishedPosition = {
      next: (page.at(-1)?.sequence ?? position.next - 1) + 1,
      applied: furthest(position.applied, claim.applied),
      foldFrom: isReplaying ? position.foldFrom : null,
      chain: sealed.head,
    };
    if (!(await commitVerdicts(transaction, publication, claim.token, sealed, next))) return null;
    await faults.hit('after-publish');
    await store.trimVerdicts(shard, claim.token, next.next - 1);
    await faults.hit('after-trim');
    return next;
  };

  /** The chain of receipts goes on from where the position says, else from where the log ends. */
  const chainHead = async (known: ChainHead | null): Promise<ChainHead | null> =>
    known === null && receipts !== null ? (await readReceiptTail(reader, receipts, shard, TAIL_RECORDS)).head : known;

  /**
   * The position, or for one that Kafka does not hold what the store knows: it drops only what is published. `isKnown`: Kafka
   * knows already that a replay is needed, if it is.
   */
  const positionOf = async (claim: ShardClaim): Promise<{ position: PublishedPosition; isKnown: boolean }> => {
    const [first] = await store.pendingVerdicts(shard, 1);
    const known = first?.sequence ?? claim.nextVerdict;
    const held = await readPublishedPosition(admin, positionGroup, positionTopic, shard);
    if (held === null) {
      return { position: { next: known, applied: {}, foldFrom: null, chain: await chainHead(null) }, isKnown: true };
    }
    const isBack = claim.nextVerdict < held.next || isBehind(claim.applied, held.applied);
    const foldFrom = isBack ? Math.min(held.foldFrom ?? claim.nextVerdict, claim.nextVerdict) : held.foldFrom;
    const chain = await chainHead(held.chain);
    const position = { next: Math.max(held.next, known), applied: held.applied, foldFrom, chain };
    return { position, isKnown: foldFrom === held.foldFrom };
  };

  /** Begins, checks, reads, trims and publishes what is left. Null: fenced. */
  const drain = async (producer: Producer, claim: ShardClaim): Promise<PublishedPosition | null> => {
    let transaction = await producer.transaction();
    await faults.hit('publish-begun');
    if (!(await store.owns(shard, claim.token))) return null;
    let { position, isKnown } = await positionOf(claim);
    await store.trimVerdicts(shard, claim.token, position.next - 1);
    if (!isKnown) {
      // Before the first commit of the replay raises the store's sequence: after it, nothing would tell where it began.
      if (!(await commitVerdicts(transaction, publication, claim.token, NOTHING, position))) return null;
      transaction = await producer.transaction();
    }
    for (;;) {
      const page = (await store.pendingVerdicts(shard, PENDING_PAGE)).filter(
        ({ sequence }) => sequence >= position.next,
      );
      if (page.length === 0) break;
      const next = await publishPage(transaction, claim, position, page, position.foldFrom !== null);
      if (next === null) return null;
      position = next;
      transaction = await producer.transaction();
    }
    // Nothing is in it: committing it costs no request.
    await transaction.commit();
    return position;
  };

  const replayFrom = async (position: PublishedPosition): Promise<Replay | null> => {
    if (position.foldFrom === null) return null;
    const { published } = await readPublishedTail(publication, position.foldFrom);
    return { until: position.applied, published };
  };

  return {
    takeOver: async (claim): Promise<TakeOver> => {
      discard(session?.producer);
      let producer: Producer | undefined;
      try {
        producer = await createTransactionalProducer(publication);
        const position = await drain(producer, claim);
        if (position === null) {
          discard(producer);
          return { outcome: 'fenced' };
        }
        const replay = await replayFrom(position);
        session = { producer, position };
        return { outcome: 'ready', nextVerdict: Math.max(position.next, claim.nextVerdict), replay };
      } catch (error) {
        discard(producer);
        throw brokerUnavailable(`taking over the publication of shard ${shard}`, error);
      }
    },

    publish: async (claim, verdicts, isReplaying) => {
      const endsReplay = !isReplaying && session?.position.foldFrom != null;
      if (verdicts.length === 0 && !endsReplay) return 'published';
      if (session === null) throw new TypeError(`shard ${shard} publishes before it has taken over`);
      const { producer, position } = session;
      try {
        const transaction = await producer.transaction();
        await faults.hit('publish-begun');
        const next = await publishPage(transaction, claim, position, verdicts, isReplaying);
        if (next !== null) session.position = next;
        else discard(producer);
        return next === null ? 'fenced' : 'published';
      } catch (error) {
        discard(producer);
        throw brokerUnavailable(`publishing the verdicts of shard ${shard}`, error);
      }
    },

    close: async () => {
      const producer = session?.producer;
      session = null;
      await producer?.disconnect();
    },
  };
};
