import { z } from 'zod';
import { setting } from './setting.ts';
import { plainName } from './types.ts';

const key = z.strictObject({
  /** the key id that the header carries */
  id: plainName,
  /** the HMAC key; at least 16 characters */
  secret: z.string().min(16),
  /** instants between which it is good; without: always */
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});

/** Seals of our own edges (gateway, readback worker, reviewer): an HMAC over the record value, key id in a header. */
export const sealsSection = z
  .strictObject({
    mode: setting(z.enum(['off', 'accept', 'required']).default('off'), {
      env: 'COUNTERSIGN_SEALS',
      wants: 'off, accept or required',
      doc: '`accept` checks a seal where there is one, `required` refuses a record without.',
    }),
    sign_with: setting(plainName.optional(), {
      env: 'COUNTERSIGN_SEALS_SIGN_WITH',
      wants: 'the id of one of the keys',
      doc: 'The key that this process seals with. Default: the first.',
    }),
    keys: setting(z.array(key).default([]), {
      env: 'COUNTERSIGN_SEALS_KEYS',
      wants: 'a list of { id, secret, from?, to? } (in the environment: as JSON), secrets of at least 16 characters',
      doc: 'The keys that a seal may be made with. `from` and `to` are instants.',
      secret: true,
    }),
  })
  .prefault({});
