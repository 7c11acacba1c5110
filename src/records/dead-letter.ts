import { z } from 'zod';
import { base64, count, instant, text, words } from './fields.ts';
import type { Frozen } from './frozen.ts';

/**
 * A record that was set aside: its bytes as they came, where it stood, and why. Its Kafka key is the original key. Bytes are
 * base64 in JSON and bytes in Avro.
 */
export const deadLetter = z.object({
  kind: z.literal('dead-letter'),
  topic: words,
  partition: count,
  /** decimal text: offsets are int64 */
  offset: z.string('an offset in decimal digits').regex(/^\d{1,19}$/, 'an offset in decimal digits'),
  /** when the record was written, milliseconds since the epoch */
  timestamp: count.nullable(),
  key: base64.nullable(),
  /** null where the record had no value */
  value: base64.nullable(),
  headers: z.record(z.string(), base64),
  /** one of the operating errors' codes */
  code: words,
  reason: text,
  set_aside_at: instant,
});

export type DeadLetterRecord = Frozen<z.output<typeof deadLetter>>;
