import { z } from 'zod';
import { setting } from './setting.ts';

/** What seals terminal verdicts. Without keys nothing is sealed. */
export const receiptsSection = z
  .strictObject({
    keys: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_RECEIPTS_KEYS',
      wants: 'the path of a key set as `countersign keys generate` makes it, or the key set itself',
      doc: 'The private keys that verdicts are sealed with; see [receipts](receipts.md). A file is read again when it has changed.',
      secret: true,
    }),
    retention_ms: setting(z.int().min(-1).default(-1), {
      env: 'COUNTERSIGN_RECEIPTS_RETENTION_MS',
      wants: 'milliseconds, or -1 for ever',
      doc: 'How long the topic `receipts` keeps them; for `topics create` and `topics check`.',
    }),
  })
  .prefault({});

/** Whether the setting is the key set itself, and not the path of one. */
export const isInlineKeySet = (keys: string): boolean => keys.trimStart().startsWith('{');
