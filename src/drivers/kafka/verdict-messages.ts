import type { Message } from 'kafkajs';
import { TRACEPARENT_HEADER } from '../../ports/consumed-record.ts';
import type { PendingVerdict } from '../../ports/shard-store.ts';
import { messageChunks } from './message-chunks.ts';

/** The header that holds a verdict's sequence number in its partition. Gaps are legal, going back is not. */
export const SEQUENCE_HEADER = 'countersign-sequence';

/** Turns the JSON of verdict records into the bytes that are published, in order: itself, or Avro. */
export type VerdictEncoder = (values: readonly string[]) => Promise<readonly (string | Buffer)[]>;

export const jsonVerdicts: VerdictEncoder = async (values) => values;

const field = (json: string, name: string): string | null => {
  // Our own print: these fields stand before everything that could hold a text like them.
  const start = json.indexOf(`"${name}":"`);
  if (start < 0) return null;
  const from = start + name.length + 4;
  let end = json.indexOf('"', from);
  while (end > 0 && json[end - 1] === '\\') end = json.indexOf('"', end + 1);
  return end < 0 ? null : (JSON.parse(json.slice(from - 1, end + 1)) as string);
};

const headersOf = (verdict: PendingVerdict, isJson: boolean): Record<string, string> => {
  const id = field(verdict.value, 'verdict_id');
  const provider = field(verdict.value, 'provider');
  return {
    ce_specversion: '1.0',
    ce_id: id ?? `${verdict.key}#${verdict.sequence}`,
    ce_type: 'verdict',
    ce_source: provider === null ? 'countersign' : `countersign/${provider}`,
    'content-type': isJson ? 'application/json' : 'application/avro',
    [SEQUENCE_HEADER]: String(verdict.sequence),
    ...(verdict.traceparent === null ? {} : { [TRACEPARENT_HEADER]: verdict.traceparent }),
  };
};

/** The messages for one partition, in order, in chunks that the broker takes. */
export const verdictChunks = async (
  verdicts: readonly PendingVerdict[],
  partition: number,
  encode: VerdictEncoder,
): Promise<Message[][]> => {
  const values = await encode(verdicts.map(({ value }) => value));
  const items = verdicts.map((verdict, index) => {
    const value = values[index];
    if (value === undefined) {
      throw new TypeError(`the encoder gave ${values.length} values for ${verdicts.length} verdicts`);
    }
    const headers = headersOf(verdict, typeof value === 'string');
    return { message: { key: verdict.key, value, partition, headers } };
  });
  return messageChunks(items).map((chunk) => chunk.map(({ message }) => message));
};
