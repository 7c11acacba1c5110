import { decodeValue, parseVerdictRecord, type SchemaLookup, schemaIdOf, type VerdictRecord } from 'countersign';
import type { Consumer } from 'kafkajs';

/**
 * Reads a value of the verdicts topic. One that cannot be read stops the ledger: to go on without it would leave money unposted,
 * or posted that should be undone.
 * @param schemas of the registry; null: verdicts are JSON
 */
export const readVerdict = async (value: Buffer, schemas: SchemaLookup | null): Promise<VerdictRecord> => {
  const id = schemaIdOf(value);
  if (id !== null) await schemas?.load(id);
  const decoded = decodeValue(value, (schema) => schemas?.get(schema) ?? null);
  const parsed = decoded.ok ? parseVerdictRecord(decoded.value) : decoded;
  if (!parsed.ok) throw new Error(`a verdict cannot be read: ${parsed.reason}`);
  return parsed.record;
};

/**
 * Hands on the verdicts of a topic, batch by batch, and commits a batch's offsets only once `apply` has returned. Stopped in
 * between, the next run gets the batch again.
 */
export const readVerdicts = async (
  consumer: Consumer,
  topic: string,
  schemas: SchemaLookup | null,
  apply: (verdicts: readonly VerdictRecord[]) => void | Promise<void>,
): Promise<void> => {
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      const verdicts: VerdictRecord[] = [];
      // A value of null takes an operation's verdicts out of the compacted topic; what was posted stays posted.
      for (const { value } of batch.messages) if (value !== null) verdicts.push(await readVerdict(value, schemas));
      await apply(verdicts);
    },
  });
};
