import { z } from 'zod';
import { setting } from './setting.ts';
import { milliseconds } from './types.ts';

/** Of a lease, what is kept for publishing the answer after the longest read. */
export const PUBLISH_MS = 10_000;

/** How the readback worker asks the providers. When it asks is each contract's to say. */
export const readbackSection = z
  .strictObject({
    poll_ms: setting(milliseconds(10).default(500), {
      env: 'COUNTERSIGN_READBACK_POLL_MS',
      wants: 'milliseconds, at least 10',
      doc: 'How often a worker looks for due reads.',
    }),
    lease_ms: setting(milliseconds(1_000).default(60_000), {
      env: 'COUNTERSIGN_READBACK_LEASE_MS',
      wants: 'milliseconds',
      doc: 'How long a claimed read is its worker’s alone; after a crash it is read again when this has passed.',
    }),
    read_timeout_ms: setting(milliseconds(10).default(20_000), {
      env: 'COUNTERSIGN_READBACK_READ_TIMEOUT_MS',
      wants: 'milliseconds, at least 10',
      doc: 'For one read: its token and all its pages together.',
    }),
    call_timeout_ms: setting(milliseconds(10).default(10_000), {
      env: 'COUNTERSIGN_READBACK_CALL_TIMEOUT_MS',
      wants: 'milliseconds, at least 10 and at most read_timeout_ms',
      doc: 'For one call, from the connection to the last byte.',
    }),
    jitter_ms: setting(milliseconds(0).default(2_000), {
      env: 'COUNTERSIGN_READBACK_JITTER_MS',
      wants: 'milliseconds, at least 0',
      doc: 'Reads that fall due together are spread over this, each always by the same amount.',
    }),
    answer_bytes: setting(z.int().min(1_024).max(4_194_304).default(524_288), {
      env: 'COUNTERSIGN_READBACK_ANSWER_BYTES',
      wants: 'bytes, from 1024 to 4194304',
      doc: 'A longer answer is not read to its end, and is no answer. Half of `limits.record_bytes`, where that is less.',
    }),
    breaker_failures: setting(z.int().min(1).default(5), {
      env: 'COUNTERSIGN_READBACK_BREAKER_FAILURES',
      wants: 'a whole number, at least 1',
      doc: 'Failures of an account in a row after which its provider is left alone for a while.',
    }),
    breaker_pause_ms: setting(milliseconds(1).default(5_000), {
      env: 'COUNTERSIGN_READBACK_BREAKER_PAUSE_MS',
      wants: 'milliseconds, at least 1 and at most breaker_pause_max_ms',
      doc: 'For how long, the first time; each failed trial doubles it.',
    }),
    breaker_pause_max_ms: setting(milliseconds(1).default(300_000), {
      env: 'COUNTERSIGN_READBACK_BREAKER_PAUSE_MAX_MS',
      wants: 'milliseconds, at least breaker_pause_ms',
      doc: 'For how long at most.',
    }),
    hosts: setting(z.array(z.string().regex(/^[^\s/@]+$/)).default([]), {
      env: 'COUNTERSIGN_READBACK_HOSTS',
      wants: 'host names, with or without a port',
      doc: "Hosts besides the providers' own that an account's `api_base` may name.",
    }),
    allow_private: setting(z.boolean().default(false), {
      env: 'COUNTERSIGN_READBACK_ALLOW_PRIVATE',
      wants: 'true or false',
      doc: 'Connect to private and loopback addresses, and without TLS. For tests against a local stand-in alone.',
    }),
  })
  .prefault({});
