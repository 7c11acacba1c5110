import type { Message } from 'kafkajs';
import { digestPending } from '../../consumers/verdict-digest.ts';
import { TRACEPARENT_HEADER } from '../../ports/consumed-record.ts';
import type { OutgoingReceipt } from '../../ports/receipt-sealer.ts';
import type { PendingVerdict } from '../../ports/shard-store.ts';
import { messageChunks } from './message-chunks.ts';

/** The header that holds a verdict's sequence number in its partition. Gaps are legal, going back is not. */
export const SEQUENCE_HEADER = 'countersign-sequence';

/** On the last verdict of a publication without transactions: the offsets that its commit had applied, as JSON. */
export const APPLIED_HEADER = 'countersign-applied';

/** Turns verdict records into the bytes that are published, in order: their JSON, or Avro. */
export type VerdictEncoder = (
  verdicts: readonly Pick<PendingVerdict, 'value' | 'printed'>[],
) => Promise<readonly (string | Buffer)[]>;

export const jsonVerdicts: VerdictEncoder = async (verdicts) => verdicts.map(({ value }) => value);

const headersOf = (
  verdict: PendingVerdict,
  type: 'verdict' | 'receipt' | 'handoff.decided',
  contentType: string,
): Record<string, string> => {
  const { id, provider, decidedAt } = digestPending(verdict);
  const headers: Record<string, string> = {
    ce_specversion: '1.0',
    ce_id: id ?? `${verdict.key}#${verdict.sequence}`,
    ce_type: type,
    ce_source: provider === null ? 'countersign' : `countersign/${provider}`,
    'content-type': contentType,
    [SEQUENCE_HEADER]: String(verdict.sequence),
  };
  if (decidedAt !== null) headers['ce_time'] = decidedAt;
  if (verdict.traceparent !== null) headers[TRACEPARENT_HEADER] = verdict.traceparent;
  return headers;
};

const inChunks = (messages: readonly Message[]): Message[][] =>
  messageChunks(messages.map((message) => ({ message }))).map((chunk) => chunk.map(({ message }) => message));

/** The messages for one partition, in order, in chunks that the broker takes. */
export const verdictChunks = async (
  verdicts: readonly PendingVerdict[],
  partition: number,
  encode: VerdictEncoder,
  type: 'verdict' | 'handoff.decided' = 'verdict',
): Promise<Message[][]> => {
  const values = await encode(verdicts);
  const messages = verdicts.map((verdict, index) => {
    const value = values[index];
    if (value === undefined) {
      throw new TypeError(`the encoder gave ${values.length} values for ${verdicts.length} verdicts`);
    }
    const contentType = typeof value === 'string' ? 'application/json' : 'application/avro';
    return { key: verdict.key, value, partition, headers: headersOf(verdict, type, contentType) };
  });
  return inChunks(messages);
};

/** The receipts of verdicts, as messages for the same partition of their own topic. */
export const receiptChunks = (receipts: readonly OutgoingReceipt[], partition: number): Message[][] =>
  inChunks(
    receipts.map(({ verdict, jws }) => {
      const headers = headersOf(verdict, 'receipt', 'application/jose');
      return { key: verdict.key, value: jws, partition, headers };
    }),
  );
