import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { withDecisions } from '../../consumers/replayed-payments.ts';
import type { PartitionReader } from '../../drivers/kafka/partition-reader.ts';
import { readTopic } from '../../drivers/kafka/read-partition.ts';
import type { VerdictDecoder } from '../../drivers/kafka/verdict-tail.ts';
import { emptyPayment, type HandoffDecided, paymentKey } from '../../evaluator/index.ts';

/** Payment key → its published answers to requests for a plan. */
export type DecidedHandoffs = ReadonlyMap<string, readonly HandoffDecided[]>;

/** Every answer that the handoffs topic holds. */
export const readDecidedHandoffs = async (
  reader: PartitionReader,
  topic: string,
  decode: VerdictDecoder,
): Promise<DecidedHandoffs> => {
  const found = new Map<string, HandoffDecided[]>();
  for await (const records of readTopic(reader, topic)) {
    for (const { value } of records) {
      if (value === null) continue;
      const decided = (await decode(value)) as HandoffDecided;
      found.set(decided.payment_key, [...(found.get(decided.payment_key) ?? []), decided]);
    }
  }
  return found;
};

/**
 * Takes what was answered as answered. Which of two requests came first was decided by the order in which a shard met its topics,
 * and no other order may decide it anew.
 */
export const withDecidedHandoffs = (batch: BatchDeps, decided: DecidedHandoffs): BatchDeps => ({
  ...batch,
  reduce: (contracts, input) => {
    const answers = decided.get(paymentKey(input.ref));
    if (answers === undefined) return batch.reduce(contracts, input);
    return batch.reduce(contracts, { ...input, state: withDecisions(input.state ?? emptyPayment(input.ref), answers) });
  },
});
