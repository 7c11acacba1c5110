import { printInstant } from '../../../src/evaluator/index.ts';
import type { CommitResult, ShardCommit, ShardId } from '../../../src/ports/shard-store.ts';
import { INPUT_TOPICS } from '../../../src/records/topics.ts';
import type { Breach } from '../oracle.ts';
import type { InputRecords } from './input-records.ts';
import type { PartitionLog } from './kafka/partition-log.ts';
import type { SimProcess } from './sim-process.ts';
import type { StateServer } from './sim-shard-store.ts';

interface Published {
  readonly revision: number;
  readonly text: string;
}

/** What is held after every step of a run; what only the end can tell is in `house-checks.ts`. */
export class StepChecks {
  readonly breaches: Breach[] = [];
  readonly #records: InputRecords;
  readonly #isTransactional: boolean;
  readonly #textOf: (value: Buffer | null) => string;
  /** verdict key → what was published of it last */
  readonly #published = new Map<string, Published>();
  readonly #seen = new Map<PartitionLog, number>();

  /** @param textOf what a published record says, as JSON */
  constructor(records: InputRecords, isTransactional: boolean, textOf: (value: Buffer | null) => string) {
    this.#records = records;
    this.#isTransactional = isTransactional;
    this.#textOf = textOf;
  }

  breach(rule: Breach['rule'], operationId: string | null, text: string): void {
    this.breaches.push({ rule, operationId, text });
  }

  /** Only the owner commits, from where the store is; what cannot be applied is set aside first. */
  committed(server: StateServer, commit: ShardCommit, result: CommitResult, process: SimProcess): void {
    if (result.outcome !== 'committed') return;
    const { shard, token } = commit.claim;
    const owner = server.owners.get(shard);
    if (owner !== token)
      this.breach(
        'former_owner_commits',
        null,
        `shard ${shard} is ${owner}'s, and ${process.name} commits as ${token}`,
      );
    const before = server.applied.get(shard) ?? {};
    for (const [topic, offset] of Object.entries(commit.applied)) {
      const from = Number(before[topic] ?? 0);
      if (Number(commit.claim.applied[topic] ?? 0) !== from)
        this.breach(
          'applied_twice',
          null,
          `shard ${shard} commits ${topic} from ${commit.claim.applied[topic]}, not ${from}`,
        );
      this.#setAside(shard, topic, from, Number(offset));
    }
    this.#time(commit);
  }

  /** No shard's time is past what it has not read: nobody is judged on evidence that waits. */
  #time({ claim, applied, streamTime }: ShardCommit): void {
    for (const topic of INPUT_TOPICS) {
      const next = Number(applied[topic] ?? 0);
      const writtenAt = this.#records.writtenAt(topic, claim.shard, next);
      if (writtenAt === null || streamTime <= writtenAt) continue;
      const what = `${topic}/${claim.shard}@${next}, which waits since ${printInstant(writtenAt)}`;
      this.breach(
        'time_ran_ahead',
        null,
        `shard ${claim.shard} has reached ${printInstant(streamTime)} before ${what}`,
      );
    }
  }

  #setAside(shard: ShardId, topic: string, from: number, until: number): void {
    for (let offset = from; offset < until; offset += 1) {
      const lacks = this.#records.lacksSettingAside(topic, shard, offset);
      if (lacks !== null) this.breach('skipped', null, `${topic}/${shard}@${offset} was applied without its ${lacks}`);
    }
  }

  /** At read_committed each revision comes once and in order. */
  published(log: PartitionLog): void {
    const stable = log.stable;
    const from = this.#seen.get(log) ?? 0;
    if (from >= stable) return;
    this.#seen.set(log, stable);
    for (const { offset, value } of log.committed(from)) {
      if (value === null) continue;
      this.#revision(this.#textOf(value), `verdicts/${log.partition}@${offset}`);
    }
  }

  #revision(text: string, where: string): void {
    const verdict = JSON.parse(text) as { operation_id: string; payment_key: string; revision: number };
    const key = `${verdict.payment_key}/${verdict.operation_id}`;
    const last = this.#published.get(key);
    const isNext = verdict.revision === (last?.revision ?? 0) + 1;
    const isRepeat = !this.#isTransactional && last !== undefined && verdict.revision <= last.revision;
    if (!isNext && !isRepeat)
      this.breach(
        'revisions_broken',
        verdict.operation_id,
        `revision ${verdict.revision} at ${where} follows ${last?.revision ?? 'nothing'}`,
      );
    if (!isRepeat) this.#published.set(key, { revision: verdict.revision, text });
  }
}
