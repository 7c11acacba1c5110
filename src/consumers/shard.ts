import { OperatingError } from '../errors.ts';
import type { FetchedBatch } from '../ports/input-log.ts';
import type { ShardId } from '../ports/shard-store.ts';
import type { VerdictPublisher } from '../ports/verdict-publisher.ts';
import { applySlices } from './apply-batches.ts';
import type { Committed } from './commit-shard.ts';
import { cutRuns } from './cut-runs.ts';
import { isBehind } from './offset-order.ts';
import { applyDue, confirmStore, judgeReplayed } from './pass-time.ts';
import type { ShardDeps } from './shard-deps.ts';
import { ShardSession } from './shard-session.ts';
import { Silence } from './silence.ts';
import { appliedOffsets, startOffsets } from './start-offsets.ts';
import type { StateCache } from './state-cache.ts';

/**
 * - `claiming`: taking over; fed nothing.
 * - `running`: fed, one commit at a time.
 * - `paused`: a transient fault; it takes over anew when its pause ends. Other shards flow on.
 * - `fenced`: another process took it. Should the group still give it to this one, the next heartbeat says so.
 * - `halted`: going on would skip or double something; a person is needed.
 * - `released`: the group gave it to another member, or the process stops.
 */
export type ShardState = 'claiming' | 'running' | 'paused' | 'fenced' | 'halted' | 'released';

interface Waiting {
  readonly batch: FetchedBatch;
  readonly taken: () => void;
}

/** One shard's life in this process. Everything it does is done one at a time; nothing it does throws at its caller. */
export class Shard {
  readonly id: ShardId;
  readonly #deps: ShardDeps;
  readonly #publisher: VerdictPublisher;
  readonly #cache: StateCache;
  #state: ShardState = 'claiming';
  #session: ShardSession | null = null;
  /** the claim the shard last had: whether it is still ours decides whether a paused shard may claim again */
  #token: string | null = null;
  #queue: Waiting[] = [];
  #inHand: Waiting[] = [];
  #busy: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #faults = 0;
  #trouble: string | null = null;
  #mustConfirm = false;
  /** topic → where the client was sent, until it comes from there */
  readonly #sent = new Map<string, bigint>();
  readonly #silence = new Silence();

  constructor(deps: ShardDeps, id: ShardId) {
    this.id = id;
    this.#deps = deps;
    this.#publisher = deps.publisherOf(id);
    this.#cache = deps.cacheOf(id);
  }

  get state(): ShardState {
    return this.#state;
  }

  /** What went wrong last, until it has done something or has nothing to do; null where all is well. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** What it has applied and the time it has reached; null while it is not running. */
  get session(): Pick<ShardSession, 'positions' | 'streamTime' | 'replay'> | null {
    return this.#state === 'running' ? this.#session : null;
  }

  /** Takes the shard. Called once it is ours by the group. */
  start(): void {
    this.#run(() => this.#takeOver());
  }

  /** The group was joined again, and the shard stayed here: the client has forgotten where it was. */
  rejoined(): void {
    if (this.#state === 'running' && this.#session !== null) this.#deps.log.resume(this.id, this.#session.positions);
    else this.#deps.log.pause(this.id);
  }

  /** Takes the batch, or refuses it where the shard is not running or is elsewhere. Resolves when it is done with it. */
  deliver(batch: FetchedBatch): Promise<void> {
    if (this.#state !== 'running') return Promise.resolve();
    return new Promise((taken) => {
      this.#queue.push({ batch, taken });
      this.#work();
    });
  }

  /** Only markers of transactions stood between `from` and `next`. */
  skipped(topic: string, from: bigint, next: bigint): void {
    const positions = this.#session?.positions;
    const position = positions?.get(topic);
    if (positions !== undefined && position !== undefined && from >= position && next > position)
      positions.set(topic, next);
  }

  /** At `at` the shard's partitions ended at `ends`: where nothing is left to apply, the wall time has been reached. */
  sawEnds(ends: ReadonlyMap<string, bigint>, at: number): void {
    const session = this.#state === 'running' ? this.#session : null;
    if (session === null) return;
    let isCaughtUp = true;
    for (const [topic, position] of session.positions) {
      const end = ends.get(topic);
      if (end !== undefined && position >= end) session.streamTime.caughtUp(topic, at);
      else isCaughtUp = false;
      const isWaiting = end !== undefined && position < end && !this.#holds(topic);
      if (this.#silence.isTooLong(topic, isWaiting ? position : null, at))
        this.#run(() => this.#askAgain(session, topic));
    }
    if (isCaughtUp) {
      this.#recover();
      this.#mustConfirm = session.isUnconfirmed(at);
    }
    this.#work();
  }

  /** This member is in the group, and the shard is its own there: a fence came from one that was late. */
  heartbeat(): void {
    if (this.#state === 'fenced') this.start();
  }

  /** Lets the work at hand finish, takes no more, and lets go. */
  async release(): Promise<void> {
    this.#state = 'released';
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#refuseQueued();
    await this.#busy;
    this.#session = null;
    this.#cache.clear();
    await this.#publisher.close().catch(() => undefined);
  }

  async #takeOver(): Promise<void> {
    const { store, log, newOwner, logger } = this.#deps;
    this.#state = 'claiming';
    this.#session = null;
    this.#sent.clear();
    this.#cache.clear();
    const { streamTime, ...claim } = await store.claim(this.id, newOwner());
    this.#token = claim.token;
    const positions = startOffsets(claim, await log.bounds(this.id));
    const taken = await this.#publisher.takeOver(claim);
    if (taken.outcome === 'fenced') return this.#lose('fenced');
    const { nextVerdict, replay } = taken;
    const nextDue = await store.nextEvaluation(this.id);
    if (this.#isReleased()) return;
    const session = { claim: { ...claim, nextVerdict }, streamTime, positions, replay, nextDue };
    this.#session = new ShardSession(this.#deps, this.#publisher, this.#cache, session);
    this.#state = 'running';
    if (this.#faults === 0) this.#trouble = null;
    if (replay !== null) {
      this.#deps.metrics.rewinds.inc();
      logger.warn(
        { shard: this.id, until: replay.until },
        'the state store went back in time; records are applied again',
      );
    }
    logger.info({ shard: this.id, offsets: appliedOffsets(positions) }, 'took the shard');
    log.resume(this.id, positions);
  }

  #holds(topic: string): boolean {
    return [...this.#queue, ...this.#inHand].some(({ batch }) => batch.topic === topic);
  }

  /**
   * There is lag, and nothing of it comes: the client is elsewhere, or the log no longer holds the offset and the client has begun
   * after it without a word.
   */
  async #askAgain(session: ShardSession, topic: string): Promise<void> {
    const { log, logger } = this.#deps;
    const bounds = (await log.bounds(this.id)).get(topic);
    const position = session.positions.get(topic);
    if (this.#state !== 'running' || this.#session !== session || this.#holds(topic)) return;
    if (bounds === undefined || position === undefined) return;
    logger.warn(
      { shard: this.id, topic, offset: position.toString() },
      'nothing comes though there is lag; asking again',
    );
    if (position < bounds.low || position > bounds.high) return this.#takeOver();
    log.resume(this.id, new Map([[topic, position]]));
  }

  #isReleased(): boolean {
    return this.#state === 'released';
  }

  #work(): void {
    if (this.#busy === null && this.#state === 'running') this.#run(() => this.#drain());
  }

  /** Runs one thing after the other; what it throws decides what becomes of the shard. */
  #run(step: () => Promise<void>): void {
    const before = this.#busy ?? Promise.resolve();
    const busy = before.then(async () => {
      if (this.#isReleased()) return;
      try {
        await step();
      } catch (error) {
        this.#fail(error);
      } finally {
        this.#letGo();
      }
    });
    this.#busy = busy.finally(() => {
      if (this.#busy !== done) return;
      this.#busy = null;
      // What came after the last look and before this.
      if (this.#queue.length > 0 || this.#mustConfirm || this.#session?.isEvaluationDue === true) this.#work();
    });
    const done = this.#busy;
  }

  async #drain(): Promise<void> {
    const session = this.#session;
    while (this.#state === 'running' && session !== null) {
      if (session.replay !== null && !isBehind(session.claim.applied, session.replay.until)) {
        if (!this.#goesOn(await judgeReplayed(this.#deps, session))) return;
      }
      this.#inHand = this.#queue.splice(0);
      if (this.#inHand.length === 0 && !session.isEvaluationDue && !this.#mustConfirm) return;
      const runs = cutRuns(this.#inPlace(session, this.#inHand), this.#deps.batchRecords);
      for (const run of runs) if (!this.#goesOn(await applySlices(this.#deps, session, run))) return;
      if (session.isEvaluationDue && !this.#goesOn(await applyDue(this.#deps, session))) return;
      if (this.#mustConfirm) {
        this.#mustConfirm = false;
        if (!this.#goesOn(await confirmStore(this.#deps, session))) return;
      }
      this.#recover();
      this.#letGo();
    }
  }

  /** A batch that does not begin where the shard is cannot be applied: the client is sent to where it is. */
  #inPlace(session: ShardSession, queued: readonly Waiting[]): FetchedBatch[] {
    return queued.flatMap(({ batch }) => {
      const position = session.positions.get(batch.topic);
      if (position === batch.from) {
        this.#sent.delete(batch.topic);
        return [batch];
      }
      if (position !== undefined) this.#send(batch, position);
      return [];
    });
  }

  /**
   * Where the log no longer holds the offset, the client begins elsewhere each time, and would be sent there for ever: a take-over
   * looks at what the log holds.
   */
  #send({ topic, from }: FetchedBatch, position: bigint): void {
    if (this.#sent.get(topic) === position) {
      throw new OperatingError(
        'BROKER_UNAVAILABLE',
        `${topic}/${this.id} is to be read from ${position} and came from ${from}, twice`,
      );
    }
    this.#sent.set(topic, position);
    this.#deps.log.seek(this.id, topic, position);
  }

  /** It works again: taking over alone does not show that, the fault may lie in what comes next. */
  #recover(): void {
    this.#faults = 0;
    this.#trouble = null;
  }

  #goesOn(committed: Committed): boolean {
    if (committed === 'done') return this.#state === 'running';
    this.#lose(committed);
    return false;
  }

  #lose(how: 'fenced' | 'rewound'): void {
    if (this.#isReleased()) return;
    const { log, logger } = this.#deps;
    log.pause(this.id);
    this.#session = null;
    this.#refuseQueued();
    if (how === 'rewound') {
      logger.warn({ shard: this.id }, 'the state store went back in time under its owner');
      this.#state = 'claiming';
      this.start();
      return;
    }
    logger.info(
      { shard: this.id },
      'the shard has another owner: another process, or a claim of this one whose answer was lost',
    );
    this.#state = 'fenced';
    this.#trouble = 'it has another owner';
  }

  #fail(error: unknown): void {
    if (this.#isReleased()) return;
    const { log, logger, backoff, metrics, onFatal } = this.#deps;
    log.pause(this.id);
    this.#session = null;
    this.#refuseQueued();
    if (!(error instanceof OperatingError)) {
      this.#state = 'halted';
      onFatal(error);
      return;
    }
    this.#trouble = `${error.code}: ${error.message}`;
    if (!error.retryable) {
      this.#state = 'halted';
      logger.error({ shard: this.id, code: error.code, ...error.context }, `the shard is halted: ${error.message}`);
      return;
    }
    this.#state = 'paused';
    metrics.pauses.inc({ code: error.code });
    const waitMs = Math.min(backoff.minMs * 2 ** Math.min(this.#faults, 20), backoff.maxMs);
    this.#faults += 1;
    logger.warn({ shard: this.id, code: error.code, retryInMs: waitMs }, `the shard pauses: ${error.message}`);
    this.#timer = setTimeout(() => this.#run(() => this.#tryAgain()), waitMs);
  }

  /** After a pause the shard may be another's, and claiming it would fence its owner. */
  async #tryAgain(): Promise<void> {
    if (this.#token !== null && !(await this.#deps.store.owns(this.id, this.#token))) return this.#lose('fenced');
    await this.#takeOver();
  }

  /** Not before a shard that failed is paused: the client goes on fetching as soon as it has its batch back. */
  #letGo(): void {
    for (const { taken } of this.#inHand.splice(0)) taken();
  }

  #refuseQueued(): void {
    for (const { taken } of this.#queue.splice(0)) taken();
  }
}
