import type { ErrorCode } from '../errors.ts';
import type { EpochMs } from '../evaluator/index.ts';
import { paymentKey } from '../evaluator/index.ts';
import { REKEYED_HEADER } from '../ports/consumed-record.ts';
import { recordTime } from '../records/record-time.ts';
import type { Admitted } from './admission.ts';
import { BatchCounts } from './batch-counts.ts';
import type { BatchDeps } from './batch-deps.ts';
import type { BindableRequest } from './bind-authorities.ts';
import { type DeadLetter, type DecodedRecord, isUndecodable, type Undecodable } from './decoded-record.ts';
import { PaymentGroups } from './group.ts';
import type { InlineBindings } from './inline-bindings.ts';

/**
 * The stream time at which a record is applied: the shard's stream time on a log with partitions, the records' own time in
 * `replay`. `refused` is the code of a record that is no evidence.
 */
export type Reach = (record: DecodedRecord | Undecodable, refused: ErrorCode | null) => EpochMs;

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
  /** requests whose authorities are this shard's */
  readonly bindable: BindableRequest[];
  readonly counts: BatchCounts;
  /** the kind of each record, for counting what becomes of it later */
  readonly kinds: readonly string[];
}

export interface AdmitOptions {
  /** Says that a record's turn has come, and what it was refused for; answers with the stream time at which it is applied. */
  readonly reach: Reach;
  /** The partition a payment key belongs to; null where there are no partitions. */
  readonly partitionOf: ((paymentKey: string) => number) | null;
  /** Binds authorities on the spot, where one shard holds everything; null: the caller binds what is `bindable`. */
  readonly bindings?: InlineBindings | undefined;
}

/** Admits a record; a request whose authority is bound on the spot goes on as what it is passed on as. */
export const admitOne = (
  deps: BatchDeps,
  { bindings }: Pick<AdmitOptions, 'bindings'>,
  decoded: DecodedRecord,
  index: number,
): Admitted => {
  const admitted = deps.admission.admit(decoded.record, decoded);
  if (admitted.outcome !== 'bind' || bindings === undefined) return admitted;
  const bound = bindings.bind({ ...admitted, index, decoded }, recordTime(decoded.record));
  return deps.admission.admit(bound, decoded);
};

/** Admits a batch and groups what it says by payment. No record waits for another, nothing throws on bad input. */
export const admitRecords = (
  deps: BatchDeps,
  records: readonly (DecodedRecord | Undecodable)[],
  options: AdmitOptions,
): AdmittedBatch => {
  const groups = new PaymentGroups();
  const deadLetters: DeadLetter[] = [];
  const rekeys: Rekey[] = [];
  const bindable: BindableRequest[] = [];
  const counts = new BatchCounts();
  const kinds: string[] = [];

  for (const [index, decoded] of records.entries()) {
    if (isUndecodable(decoded)) {
      const { code, reason } = decoded;
      kinds.push('unknown');
      counts.add('unknown', code);
      options.reach(decoded, code);
      deadLetters.push({ index, code, reason });
      continue;
    }
    const { kind } = decoded.record;
    kinds.push(kind);
    const admitted = admitOne(deps, options, decoded, index);
    const appliedAt = options.reach(decoded, admitted.outcome === 'refused' ? admitted.code : null);
    if (admitted.outcome === 'refused') {
      counts.add(kind, admitted.code);
      deadLetters.push({ index, code: admitted.code, reason: admitted.reason });
      continue;
    }
    if (admitted.outcome === 'ignored') {
      counts.add(kind, 'ignored');
      continue;
    }
    const key = admitted.outcome === 'bind' ? admitted.authorityKey : paymentKey(admitted.ref);
    const home = (key === null ? null : options.partitionOf?.(key)) ?? decoded.source.partition;
    if (key !== null && home !== decoded.source.partition) {
      if (decoded.headers[REKEYED_HEADER] === undefined) {
        counts.add(kind, 'rekeyed');
        rekeys.push({ index, paymentKey: key, partition: home });
      } else {
        counts.add(kind, 'WRONG_PARTITION');
        const reason = `the record of ${key} was re-published once and is still on partition ${decoded.source.partition}; its partition is ${home}`;
        deadLetters.push({ index, code: 'WRONG_PARTITION', reason });
      }
      continue;
    }
    if (admitted.outcome === 'bind') {
      counts.add(kind, 'applied');
      bindable.push({ ...admitted, index, decoded });
      continue;
    }
    if (admitted.deadLetter === undefined) counts.add(kind, 'applied');
    else {
      counts.add(kind, admitted.deadLetter.code);
      deadLetters.push({ index, code: admitted.deadLetter.code, reason: admitted.deadLetter.reason });
    }
    for (const observation of admitted.observations)
      groups.add(paymentKey(admitted.ref), admitted.ref, observation, appliedAt, index);
  }
  return { groups, deadLetters, rekeys, bindable, counts, kinds };
};
