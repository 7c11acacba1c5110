import { z } from 'zod';
import { setting } from './setting.ts';
import { milliseconds } from './types.ts';

/** The keyed consumer's sizes and patience. */
export const processingSection = z
  .strictObject({
    batch_records: setting(z.int().min(1).max(10_000).default(1_000), {
      env: 'COUNTERSIGN_BATCH_RECORDS',
      wants: 'a whole number from 1 to 10000',
      doc: 'Most records that one commit to Redis covers.',
    }),
    cache_payments: setting(z.int().min(1).default(200_000), {
      env: 'COUNTERSIGN_CACHE_PAYMENTS',
      wants: 'a whole number, at least 1',
      doc: 'Payments whose state a process keeps in memory, over all its shards.',
    }),
    cache_chars: setting(z.int().min(1).default(268_435_456), {
      env: 'COUNTERSIGN_CACHE_CHARS',
      wants: 'characters, at least 1',
      doc: 'Characters of the serialised states that a process keeps in memory, over all its shards.',
    }),
    backoff_min_ms: setting(milliseconds(1).default(200), {
      env: 'COUNTERSIGN_BACKOFF_MIN_MS',
      wants: 'milliseconds, at least 1 and at most backoff_max_ms',
      doc: 'How long a shard pauses after the first transient fault; each further one doubles it.',
    }),
    backoff_max_ms: setting(milliseconds(1).default(30_000), {
      env: 'COUNTERSIGN_BACKOFF_MAX_MS',
      wants: 'milliseconds, at least backoff_min_ms',
      doc: 'The longest pause between two tries.',
    }),
    due_check_ms: setting(milliseconds(10).default(1_000), {
      env: 'COUNTERSIGN_DUE_CHECK_MS',
      wants: 'milliseconds, at least 10',
      doc: 'How often a caught-up shard looks for windows and deadlines that have passed.',
    }),
    stall_after_ms: setting(milliseconds(1_000).default(60_000), {
      env: 'COUNTERSIGN_STALL_AFTER_MS',
      wants: 'milliseconds, at least 1000',
      doc: 'Lag without progress, or waiting for the broker or a take-over, for this long makes `/readyz` say no.',
    }),
    stop_timeout_ms: setting(milliseconds(100).default(25_000), {
      env: 'COUNTERSIGN_STOP_TIMEOUT_MS',
      wants: 'milliseconds, at least 100',
      doc: 'On SIGTERM: how long to finish, commit and leave before giving up. Less than what the supervisor grants.',
    }),
  })
  .prefault({});

/** What is too large or too early to be believed. */
export const limitsSection = z
  .strictObject({
    record_bytes: setting(z.int().min(1_024).max(104_857_600).default(1_048_576), {
      env: 'COUNTERSIGN_LIMIT_RECORD_BYTES',
      wants: 'bytes, from 1024 to 104857600',
      doc: 'A larger record value is a dead letter (`RECORD_TOO_LARGE`).',
    }),
    created_at_ahead_ms: setting(milliseconds(0).default(300_000), {
      env: 'COUNTERSIGN_LIMIT_CREATED_AT_AHEAD_MS',
      wants: 'milliseconds, at least 0',
      doc: "How far an operation's created_at may lie ahead of its record's timestamp (`CREATED_AT_IN_FUTURE`).",
    }),
  })
  .prefault({});
