import type { Admission } from '../../../src/consumers/admit.ts';
import type { DecodedRecord } from '../../../src/consumers/decoded-record.ts';
import { DEAD_LETTER_HEADERS } from '../../../src/drivers/kafka/dead-letter.ts';
import { type EpochMs, paymentKey } from '../../../src/evaluator/index.ts';
import { REKEYED_HEADER } from '../../../src/ports/consumed-record.ts';
import { decodeInput, type ReadAvro } from '../../../src/records/codec.ts';
import { partitionOfKey } from '../../../src/records/partition.ts';
import { recordTime } from '../../../src/records/record-time.ts';
import { DEAD_LETTER_TOPIC, INPUT_TOPICS, type InputTopic } from '../../../src/records/topics.ts';
import type { Delivered, Item } from '../item.ts';
import type { LogEntry } from './kafka/partition-log.ts';
import type { SimCluster } from './kafka/sim-cluster.ts';
import { jsonOf, type TruthLedger } from './truth-ledger.ts';

/** A record that stands in the log, and what ought to become of it. */
interface Classified {
  readonly fate: 'applied' | 'dead-letter' | 'rekeyed' | 'bound';
  readonly decoded: DecodedRecord | null;
  /** the key whose partition it belongs on; null: any */
  readonly key: string | null;
  /** of a dead letter */
  readonly code: string | null;
}

const at = (topic: string, partition: number, offset: number): string => `${topic}/${partition}@${offset}`;

const headersOf = (entry: LogEntry): Record<string, string> =>
  Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name, value.toString('utf8')]));

/** Every record of the input topics, held against what became of it. */
export class InputRecords {
  readonly #cluster: SimCluster;
  readonly #ledger: TruthLedger;
  readonly #admission: Admission;
  readonly #partitions: number;
  readonly #readAvro: ReadAvro;
  readonly #isBeside: (paymentKey: string) => boolean;
  readonly #classified = new Map<string, Classified>();
  /** coordinates → the stream time at which it was first applied, in which place, and in which commits */
  readonly #appliedAt = new Map<
    string,
    { readonly at: EpochMs; readonly order: number; readonly first: number; last: number }
  >();
  #applications = 0;
  #commits = 0;
  readonly #dead = new Map<string, string>();
  readonly #rekeyed = new Set<string>();
  readonly #bound = new Set<string>();
  readonly #boundSeen = new Map<unknown, number>();
  readonly #scanned = new Map<unknown, number>();

  constructor(options: {
    readonly cluster: SimCluster;
    readonly ledger: TruthLedger;
    readonly admission: Admission;
    readonly partitions: number;
    readonly readAvro: ReadAvro;
    /** whether a payment is not the world's */
    readonly isBeside: (paymentKey: string) => boolean;
  }) {
    this.#cluster = options.cluster;
    this.#ledger = options.ledger;
    this.#admission = options.admission;
    this.#partitions = options.partitions;
    this.#readAvro = options.readAvro;
    this.#isBeside = options.isBeside;
  }

  /** A commit begins: what is applied until the next one is applied together. */
  commit(): void {
    this.#commits += 1;
  }

  /** The store has committed what was applied at `streamTime`. */
  applied(topic: string, partition: number, offset: string, streamTime: EpochMs): void {
    const name = at(topic, partition, Number(offset));
    const held = this.#appliedAt.get(name);
    const order = this.#applications;
    this.#applications += 1;
    const commit = this.#commits;
    if (held === undefined) this.#appliedAt.set(name, { at: streamTime, order, first: commit, last: commit });
    else held.last = commit;
  }

  /** In which commit a record was applied, first and last: the store may go back in time. Null: not yet. */
  commitsOf(name: string): { readonly first: number; readonly last: number } | null {
    const held = this.#appliedAt.get(name);
    return held === undefined ? null : { first: held.first, last: held.last };
  }

  /** Which of its copies a record lacks that must be set aside before its offset is applied; null: none. */
  lacksSettingAside(
    topic: string,
    partition: number,
    offset: number,
  ): 'dead letter' | 're-keyed copy' | 'bound request' | null {
    const entry = this.#cluster.log(topic, partition).entries[offset];
    if (entry === undefined) return null;
    const { fate } = this.#classify(topic, partition, entry);
    if (fate === 'bound' && !this.#passedOn().has(at(topic, partition, offset))) return 'bound request';
    if (fate === 'dead-letter' && !this.deadLetters().has(at(topic, partition, offset))) return 'dead letter';
    if (fate === 'rekeyed' && !this.#copies().has(at(topic, partition, offset))) return 're-keyed copy';
    return null;
  }

  /** Whether a request at these coordinates was to be bound and passed on, where it stands. */
  isBound(name: string): boolean {
    return this.#classified.get(name)?.fate === 'bound';
  }

  /** Since when the record at an offset has been in the log; null: there is none. */
  writtenAt(topic: string, partition: number, offset: number): EpochMs | null {
    return this.#cluster.log(topic, partition).entries[offset]?.appendedAt ?? null;
  }

  /** coordinates of the original → code, of every dead letter there is now */
  deadLetters(): ReadonlyMap<string, string> {
    for (const log of this.#cluster.logs.get(DEAD_LETTER_TOPIC) ?? [])
      for (const entry of this.#unseen(log)) {
        const headers = headersOf(entry);
        const [topic = '', partition, offset] = [
          headers[DEAD_LETTER_HEADERS.topic],
          headers[DEAD_LETTER_HEADERS.partition],
          headers[DEAD_LETTER_HEADERS.offset],
        ];
        this.#dead.set(at(topic, Number(partition), Number(offset)), headers[DEAD_LETTER_HEADERS.code] ?? '');
      }
    return this.#dead;
  }

  /** Coordinates of the originals that were sent on to their right partition. */
  #copies(): ReadonlySet<string> {
    for (const topic of INPUT_TOPICS)
      for (const log of this.#cluster.logs.get(topic) ?? [])
        for (const entry of this.#unseen(log)) {
          const from = entry.headers[REKEYED_HEADER]?.toString('utf8').split(':');
          if (from !== undefined) this.#rekeyed.add(at(topic, Number(from[0]), Number(from[1])));
        }
    return this.#rekeyed;
  }

  #unseen(log: { readonly entries: readonly LogEntry[] }): readonly LogEntry[] {
    const from = this.#scanned.get(log) ?? 0;
    this.#scanned.set(log, log.entries.length);
    return log.entries.slice(from);
  }

  #classify(topic: string, partition: number, entry: LogEntry): Classified {
    const name = at(topic, partition, entry.offset);
    let found = this.#classified.get(name);
    if (found === undefined) {
      found = this.#judge(topic as InputTopic, partition, entry);
      this.#classified.set(name, found);
    }
    return found;
  }

  #judge(topic: InputTopic, partition: number, entry: LogEntry): Classified {
    const read = decodeInput(entry.value, topic, this.#readAvro);
    if (!read.ok) return { fate: 'dead-letter', decoded: null, key: null, code: read.code };
    const headers = headersOf(entry);
    const source = { topic, partition, offset: String(entry.offset) };
    const timestamp = entry.timestamp;
    const decoded: DecodedRecord = {
      source,
      timestamp,
      key: entry.key?.toString('utf8') ?? null,
      headers,
      record: read.record,
    };
    const admitted = this.#admission.admit(read.record, decoded);
    if (admitted.outcome === 'refused') return { fate: 'dead-letter', decoded, key: null, code: admitted.code };
    if (admitted.outcome === 'ignored') return { fate: 'applied', decoded, key: null, code: null };
    const key = admitted.outcome === 'bind' ? admitted.authorityKey : paymentKey(admitted.ref);
    if (key !== null && partitionOfKey(key, this.#partitions) !== partition)
      return headers[REKEYED_HEADER] === undefined
        ? { fate: 'rekeyed', decoded, key, code: null }
        : { fate: 'dead-letter', decoded, key, code: 'WRONG_PARTITION' };
    if (admitted.outcome === 'bind') return { fate: 'bound', decoded, key, code: null };
    // The reducer's own refusal, told apart without it: a decision answers a verdict of its operation.
    const { record } = read;
    if (record.kind === 'review.decided' && !record.answers.startsWith(`${key}/${record.operation_id}:`))
      return { fate: 'dead-letter', decoded, key, code: 'REVIEW_MISADDRESSED' };
    const { deadLetter } = admitted;
    return { fate: deadLetter === undefined ? 'applied' : 'dead-letter', decoded, key, code: deadLetter?.code ?? null };
  }

  /** Coordinates of the requests that were passed on to their payments. */
  #passedOn(): ReadonlySet<string> {
    for (const log of this.#cluster.logs.get('handoff-bound') ?? []) {
      const from = this.#boundSeen.get(log) ?? 0;
      this.#boundSeen.set(log, log.entries.length);
      for (const { value } of log.entries.slice(from)) {
        const read = decodeInput(value, 'handoff-bound', this.#readAvro);
        if (!read.ok || read.record.kind !== 'handoff.bound') continue;
        const { topic, partition, offset } = read.record.source;
        this.#bound.add(at(topic, partition, Number(offset)));
      }
    }
    return this.#bound;
  }

  /** Everything that stands in the input topics, in the order of the log. */
  *all(): Generator<{ readonly name: string; readonly entry: LogEntry } & Classified> {
    for (const topic of INPUT_TOPICS)
      for (const log of this.#cluster.logs.get(topic) ?? [])
        for (const entry of log.entries)
          yield { name: at(topic, log.partition, entry.offset), entry, ...this.#classify(topic, log.partition, entry) };
  }

  /** What reached the reducer or was refused by admission, in the order in which it was applied, as the oracle takes it. */
  delivered(): { readonly delivered: readonly Delivered[]; readonly strangers: readonly string[] } {
    const strangers: string[] = [];
    const placed: { readonly order: number; readonly delivered: Delivered }[] = [];
    let id = 0;
    for (const { name, fate, decoded, key, entry } of this.all()) {
      if (decoded === null || fate === 'rekeyed' || fate === 'bound') continue;
      if (key !== null && this.#isBeside(key)) continue;
      if (entry.value !== null && this.#ledger.poisonCodeOf(entry.value) !== null) continue;
      const about = this.#ledger.aboutOf(decoded.record);
      if (about === null) {
        strangers.push(name);
        continue;
      }
      id += 1;
      const topic = decoded.source.topic as Item['topic'];
      const own = recordTime(decoded.record);
      const item: Item = { id, about, topic, value: jsonOf(decoded.record), at: own, decoded };
      const applied = this.#appliedAt.get(name);
      placed.push({
        order: applied?.order ?? Number.MAX_SAFE_INTEGER,
        // A shard's time may lag behind: nobody knows of a record before it is written.
        delivered: { at: Math.max(applied?.at ?? own, own), item },
      });
    }
    placed.sort((a, b) => a.delivered.at - b.delivered.at || a.order - b.order);
    return { delivered: placed.map(({ delivered }) => delivered), strangers };
  }

  /** Item id → the code under which it is in dead-letter. */
  deadLettersOf(delivered: readonly Delivered[]): Map<number, string> {
    const dead = this.deadLetters();
    return new Map(
      delivered.flatMap(({ item }) => {
        const { topic, partition, offset } = item.decoded.source;
        const code = dead.get(at(topic, partition, Number(offset)));
        return code === undefined ? [] : [[item.id, code] as const];
      }),
    );
  }
}
