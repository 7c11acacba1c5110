import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { type DecodeOptions, decodeRecords } from '../../consumers/decode-records.ts';
import { isUndecodable } from '../../consumers/decoded-record.ts';
import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { originalValue, type Redriven } from '../../drivers/kafka/redrive.ts';
import type { DeadLetter } from '../../drivers/kafka/redriven.ts';
import { paymentKey } from '../../evaluator/index.ts';
import { partitionOfKey } from '../../records/partition.ts';
import { inputTopicOf } from '../../records/topics.ts';

/**
 * What would become of a letter that is sent again now: `send` it would be taken; `refused` it would come back, and why;
 * `lost` there is nothing to send.
 */
export interface RedrivePlan {
  readonly letter: DeadLetter;
  readonly fate: 'send' | 'refused' | 'lost';
  readonly detail: string;
  /** null where there is nothing to send */
  readonly redriven: Redriven | null;
}

export interface PlanDeps {
  readonly reader: PartitionReader;
  readonly batch: BatchDeps;
  readonly decode: DecodeOptions;
  /** topic → its partitions */
  readonly partitions: ReadonlyMap<string, number>;
}

/** These the state decides, not the record. */
const BY_STATE = ['OPERATION_CONFLICT', 'REVIEW_MISADDRESSED'];

const lost = (letter: DeadLetter, detail: string): RedrivePlan => ({ letter, fate: 'lost', detail, redriven: null });

/** Tries a letter on today's contracts, secrets and schemas. Sends nothing. Throws REGISTRY_UNAVAILABLE, BROKER_UNAVAILABLE. */
export const planRedrive = async (deps: PlanDeps, letter: DeadLetter): Promise<RedrivePlan> => {
  const { record } = letter;
  const count = deps.partitions.get(record.topic);
  if (inputTopicOf(record.topic) === null || count === undefined)
    return lost(letter, `its topic ${record.topic} is no input topic that exists`);
  const original = await originalValue(deps.reader, letter);
  if (original === null)
    return lost(
      letter,
      `its value did not fit, and ${record.topic}/${record.partition} holds offset ${record.offset} no more`,
    );
  const { value } = original;
  const keyed = { letter, value, partition: null };
  const [decoded] = await decodeRecords([{ ...record, value, timestamp: Date.now() }], deps.decode);
  if (decoded === undefined) throw new TypeError('one record was given and none came back');
  if (isUndecodable(decoded))
    return { letter, fate: 'refused', detail: `${decoded.code}: ${decoded.reason}`, redriven: keyed };
  const admitted = deps.batch.admission.admit(decoded.record, decoded);
  if (admitted.outcome === 'refused')
    return { letter, fate: 'refused', detail: `${admitted.code}: ${admitted.reason}`, redriven: keyed };
  if (admitted.outcome === 'ignored')
    return { letter, fate: 'send', detail: `it is ignored: ${admitted.reason}`, redriven: keyed };
  if (admitted.outcome === 'bind') {
    const { authorityKey } = admitted;
    const partition = authorityKey === null ? null : partitionOfKey(authorityKey, count);
    return {
      letter,
      fate: 'send',
      detail: `request of ${authorityKey ?? 'no authority'}`,
      redriven: { letter, value, partition },
    };
  }
  const key = paymentKey(admitted.ref);
  const partition = partitionOfKey(key, count);
  const redriven = { letter, value, partition };
  const { deadLetter } = admitted;
  if (deadLetter !== undefined)
    return { letter, fate: 'refused', detail: `${deadLetter.code}: ${deadLetter.reason}`, redriven };
  if (BY_STATE.includes(letter.code))
    return { letter, fate: 'refused', detail: `${letter.code} unless the payment's state has changed`, redriven };
  return { letter, fate: 'send', detail: `payment ${key}, partition ${partition}`, redriven };
};
