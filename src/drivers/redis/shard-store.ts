import { randomUUID } from 'node:crypto';
import { OperatingError } from '../../errors.ts';
import type { EpochMs } from '../../evaluator/index.ts';
import type {
  ClaimedRead,
  CommitResult,
  PendingVerdict,
  ShardClaim,
  ShardCommit,
  ShardId,
  ShardStore,
} from '../../ports/shard-store.ts';
import { unpackState } from '../packed-state.ts';
import { assertCommit, claimAfter, wholeMs } from '../shard-commit.ts';
import { commitArguments } from './commit-arguments.ts';
import type { RedisConnection } from './connection.ts';
import { type Keys, keysOf } from './keys.ts';
import { parsePending } from './pending-verdict.ts';
import { parseClaimedLine, readText } from './read-entry.ts';

/** States that one MGET asks for: more would hold up other clients of a single-threaded server. */
const LOADED_AT_ONCE = 1000;

/** Keys that one step of a scan looks at. */
const SCANNED_AT_ONCE = 1000;

/**
 * Shards in Redis or Redis Cluster. Each change of a shard is one Lua call on one node. A state's key expires `expiresAt` minus
 * the stream time after it was last written, on the server's clock.
 */
export class RedisShardStore implements ShardStore {
  readonly #redis: RedisConnection;
  readonly #keys: Keys;

  /** The store ends the connection when it is closed. */
  constructor(redis: RedisConnection, prefix: string) {
    this.#redis = redis;
    this.#keys = keysOf(prefix);
  }

  async claim(shard: ShardId, owner: string): Promise<ShardClaim & { readonly streamTime: EpochMs }> {
    if (owner === '')
      throw new TypeError('owner of a shard claim is empty; it must be unique for ever, such as a UUID');
    const keys = this.#keys.shard(shard);
    const reply = await this.#redis.run(`claim shard ${shard}`, 'claim', [keys.owner, keys.offsets], [owner]);
    const [token = '', sequence, nextVerdict, streamTime, ...offsets] = reply as string[];
    return {
      shard,
      token,
      sequence: Number(sequence),
      nextVerdict: Number(nextVerdict),
      streamTime: Number(streamTime),
      applied: Object.fromEntries(pairs(offsets)),
    };
  }

  async owns(shard: ShardId, token: string): Promise<boolean> {
    const { owner } = this.#keys.shard(shard);
    const stored = await this.#redis.ask(`tell the owner of shard ${shard}`, (client) => client.hget(owner, 'token'));
    return stored === token;
  }

  async load(shard: ShardId, paymentKeys: readonly string[]): Promise<(string | null)[]> {
    const { statePrefix } = this.#keys.shard(shard);
    const parts: Promise<(Buffer | null)[]>[] = [];
    for (let from = 0; from < paymentKeys.length; from += LOADED_AT_ONCE) {
      const keys = paymentKeys.slice(from, from + LOADED_AT_ONCE).map((key) => statePrefix + key);
      parts.push(this.#redis.ask(`load states of shard ${shard}`, (client) => client.mgetBuffer(keys)));
    }
    const values = (await Promise.all(parts)).flat();
    return values.map((value, index) => (value === null ? null : unpackState(paymentKeys[index] ?? '', value)));
  }

  async commit(commit: ShardCommit): Promise<CommitResult> {
    assertCommit(commit);
    const { shard } = commit.claim;
    const { keys, args } = commitArguments(this.#keys.shard(shard), commit);
    const outcome = await this.#redis.run(`commit to shard ${shard}`, 'commit', keys, args);
    switch (outcome) {
      case 'committed':
      case 'already':
        return { outcome, claim: claimAfter(commit) };
      case 'fenced':
      case 'rewound':
        return { outcome };
      default:
        throw new TypeError(`commit-n.lua returned ${String(outcome)}`);
    }
  }

  async dueEvaluations(
    shard: ShardId,
    upTo: EpochMs,
    limit: number,
  ): Promise<readonly { paymentKey: string; dueAt: EpochMs }[]> {
    const { evaluations } = this.#keys.shard(shard);
    const reply = await this.#redis.ask(`list due evaluations of shard ${shard}`, (client) =>
      client.zrangebyscore(evaluations, '-inf', upTo, 'WITHSCORES', 'LIMIT', 0, limit),
    );
    return pairs(reply).map(([paymentKey, dueAt]) => ({ paymentKey, dueAt: Number(dueAt) }));
  }

  async nextEvaluation(shard: ShardId): Promise<EpochMs | null> {
    const { evaluations } = this.#keys.shard(shard);
    const [, dueAt] = await this.#redis.ask(`tell the next evaluation of shard ${shard}`, (client) =>
      client.zrange(evaluations, '0', '0', 'WITHSCORES'),
    );
    return dueAt === undefined ? null : Number(dueAt);
  }

  async oldestUnresolved(shard: ShardId): Promise<EpochMs | null> {
    const { unresolved } = this.#keys.shard(shard);
    const [, since] = await this.#redis.ask(`tell the oldest unresolved operation of shard ${shard}`, (client) =>
      client.zrange(unresolved, '0', '0', 'WITHSCORES'),
    );
    return since === undefined ? null : Number(since);
  }

  async pendingVerdicts(shard: ShardId, limit: number): Promise<readonly PendingVerdict[]> {
    if (limit <= 0) return [];
    const { verdicts } = this.#keys.shard(shard);
    const reply = await this.#redis.ask(`list pending verdicts of shard ${shard}`, (client) =>
      client.lrange(verdicts, 0, limit - 1),
    );
    return reply.map(parsePending);
  }

  async trimVerdicts(shard: ShardId, token: string, sequence: number): Promise<void> {
    const { owner, verdicts } = this.#keys.shard(shard);
    await this.#redis.run(`trim verdicts of shard ${shard}`, 'trimVerdicts', [owner, verdicts], [token, sequence]);
  }

  async claimReads(shard: ShardId, upTo: EpochMs, leaseUntil: EpochMs, limit: number): Promise<readonly ClaimedRead[]> {
    const { reads, readEntries } = this.#keys.shard(shard);
    const reply = await this.#redis.run(
      `claim reads of shard ${shard}`,
      'claimReads',
      [reads, readEntries],
      [upTo, wholeMs(leaseUntil), limit, randomUUID()],
    );
    return pairs(reply as string[]).map(([paymentKey, line]) => parseClaimedLine(shard, paymentKey, line));
  }

  async releaseRead(read: ClaimedRead, dueAt: EpochMs | null): Promise<void> {
    const { reads, readEntries } = this.#keys.shard(read.shard);
    await this.#redis.run(
      `release a read of shard ${read.shard}`,
      'releaseRead',
      [reads, readEntries],
      [read.paymentKey, read.lease, readText(read), dueAt === null ? '' : wholeMs(dueAt)],
    );
  }

  /**
   * By SCAN over the shard's node rather than by an index of its payments: an index would cost every payment about 100 bytes
   * and an expiry of its own, and this is needed by `rebuild` and `review` only.
   */
  async *scan(shard: ShardId): AsyncGenerator<{ paymentKey: string; value: string }> {
    const { owner, statePrefix } = this.#keys.shard(shard);
    let cursor = '0';
    do {
      const args = [cursor, `${statePrefix}*`, SCANNED_AT_ONCE];
      const found = (await this.#redis.runBinary(`scan shard ${shard}`, 'scan', [owner], args)) as Buffer[];
      for (let index = 1; index + 1 < found.length; index += 2) {
        const [key, value] = [found[index] as Buffer, found[index + 1] as Buffer];
        const paymentKey = key.toString('utf8').slice(statePrefix.length);
        yield { paymentKey, value: unpackState(paymentKey, value) };
      }
      cursor = found[0]?.toString() ?? '0';
    } while (cursor !== '0');
  }

  async checkPartitionCount(count: number): Promise<void> {
    const { partitions } = this.#keys;
    const stored = await this.#redis.ask('store the partition count', async (client) => {
      await client.setnx(partitions, count);
      return client.get(partitions);
    });
    if (stored === String(count)) return;
    throw new OperatingError(
      'CONFIG_INVALID',
      `the input topics have ${count} partitions, but the state was built with ${stored}; rebuild it under a new prefix`,
      { context: { partitions: count, stored: Number(stored) } },
    );
  }

  close(): Promise<void> {
    return this.#redis.close();
  }
}

function* entriesOf(flat: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < flat.length; index += 2) yield [flat[index] ?? '', flat[index + 1] ?? ''];
}

/** [a, b, c, d] → [[a, b], [c, d]] */
const pairs = (flat: readonly string[]): [string, string][] => [...entriesOf(flat)];
