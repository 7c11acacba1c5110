import type { EpochMs, Json } from '../evaluator/index.ts';
import { isJsonObject, paymentKey } from '../evaluator/index.ts';
import { REKEYED_HEADER } from '../ports/consumed-record.ts';
import type { InputRecord } from '../records/records.ts';
import { BatchCounts } from './batch-counts.ts';
import type { BatchDeps } from './batch-deps.ts';
import { type DeadLetter, type DecodedRecord, isUndecodable, type Undecodable } from './decoded-record.ts';
import { PaymentGroups } from './group.ts';

/** A record whose payment belongs to another partition of its topic. */
export interface Rekey {
  readonly index: number;
  readonly paymentKey: string;
  readonly partition: number;
}

export interface AdmittedBatch {
  readonly groups: PaymentGroups;
  readonly deadLetters: DeadLetter[];
  readonly rekeys: Rekey[];
  readonly counts: BatchCounts;
  /** the kind of each record, for counting what becomes of it later */
  readonly kinds: readonly string[];
}

export interface AdmitOptions {
  /**
   * Says that a record's turn has come and answers with the stream time at which it is applied. `record` is null where the
   * value is no record of ours; `code` is why it was refused.
   */
  readonly reach: (decoded: DecodedRecord, record: InputRecord | null, code: string | null) => EpochMs;
  /** The partition a payment key belongs to; null where there are no partitions. */
  readonly partitionOf: ((paymentKey: string) => number) | null;
}

const kindOf = (value: Json): string => {
  const kind = isJsonObject(value) ? value['kind'] : undefined;
  return typeof kind === 'string' && /^[a-z.]{1,32}$/.test(kind) ? kind : 'unknown';
};

/** Parses and admits a batch and groups what it says by payment. No record waits for another, nothing throws on bad input. */
export const admitRecords = (
  deps: BatchDeps,
  records: readonly (DecodedRecord | Undecodable)[],
  options: AdmitOptions,
): AdmittedBatch => {
  const groups = new PaymentGroups();
  const deadLetters: DeadLetter[] = [];
  const rekeys: Rekey[] = [];
  const counts = new BatchCounts();
  const kinds: string[] = [];

  for (const [index, decoded] of records.entries()) {
    if (isUndecodable(decoded)) {
      kinds.push('unknown');
      counts.add('unknown', decoded.code);
      deadLetters.push({ index, code: decoded.code, reason: decoded.reason });
      continue;
    }
    const parsed = deps.parse(decoded.value, decoded.topic);
    if (!parsed.ok) {
      const kind = kindOf(decoded.value);
      kinds.push(kind);
      counts.add(kind, parsed.code);
      options.reach(decoded, null, parsed.code);
      deadLetters.push({ index, code: parsed.code, reason: parsed.reason });
      continue;
    }
    const { kind } = parsed.record;
    kinds.push(kind);
    const admitted = deps.admit(parsed.record, decoded);
    const appliedAt = options.reach(decoded, parsed.record, admitted.outcome === 'refused' ? admitted.code : null);
    if (admitted.outcome === 'refused') {
      counts.add(kind, admitted.code);
      deadLetters.push({ index, code: admitted.code, reason: admitted.reason });
      continue;
    }
    if (admitted.outcome === 'ignored') {
      counts.add(kind, 'ignored');
      continue;
    }
    const key = paymentKey(admitted.ref);
    const home = options.partitionOf?.(key) ?? decoded.source.partition;
    if (home !== decoded.source.partition) {
      if (decoded.headers[REKEYED_HEADER] === undefined) {
        counts.add(kind, 'rekeyed');
        rekeys.push({ index, paymentKey: key, partition: home });
      } else {
        counts.add(kind, 'WRONG_PARTITION');
        const reason = `the record of payment ${key} was re-published once and is still on partition ${decoded.source.partition}; its partition is ${home}`;
        deadLetters.push({ index, code: 'WRONG_PARTITION', reason });
      }
      continue;
    }
    if (admitted.deadLetter === undefined) counts.add(kind, 'applied');
    else {
      counts.add(kind, admitted.deadLetter.code);
      deadLetters.push({ index, code: admitted.deadLetter.code, reason: admitted.deadLetter.reason });
    }
    for (const observation of admitted.observations) groups.add(key, admitted.ref, observation, appliedAt, index);
  }
  return { groups, deadLetters, rekeys, counts, kinds };
};
