/**
 * Every operating error's code. Append-only; `docs/reference/errors.md` says for each what it means and what to do.
 */
export const ERROR_CODES = {
  RECORD_MALFORMED: { retryable: false },
  RECORD_KIND_WRONG: { retryable: false },
  RECORD_KEY_MISMATCH: { retryable: false },
  RECORD_TOO_LARGE: { retryable: false },
  SCHEMA_UNKNOWN: { retryable: false },
  OPERATION_CONFLICT: { retryable: false },
  CONTRACT_UNKNOWN: { retryable: false },
  INPUT_INVALID: { retryable: false },
  CREATED_AT_IN_FUTURE: { retryable: false },
  SIGNATURE_INVALID: { retryable: false },
  SIGNATURE_UNVERIFIABLE: { retryable: false },
  ACCOUNT_MISMATCH: { retryable: false },
  ENDPOINT_UNKNOWN: { retryable: false },
  EVENT_MALFORMED: { retryable: false },
  EVENT_UNROUTABLE: { retryable: false },
  SIMULATOR_EVENT: { retryable: false },
  SEAL_MISSING: { retryable: false },
  SEAL_INVALID: { retryable: false },
  READBACK_MALFORMED: { retryable: false },
  REVIEW_MISADDRESSED: { retryable: false },
  WRONG_PARTITION: { retryable: false },
  OFFSETS_OUTSIDE_LOG: { retryable: false },
  CONFIG_INVALID: { retryable: false },
  CONTRACT_INVALID: { retryable: false },
  STATE_UNAVAILABLE: { retryable: true },
  REGISTRY_UNAVAILABLE: { retryable: true },
  BROKER_UNAVAILABLE: { retryable: true },
  INPUT_UNREADABLE: { retryable: false },
  JOURNAL_CORRUPT: { retryable: false },
  JOURNAL_LOCKED: { retryable: false },
  JOURNAL_UNWRITABLE: { retryable: false },
  OUTPUT_UNWRITABLE: { retryable: false },
  SCENARIO_INVALID: { retryable: false },
  RECEIPT_KEY_MISSING: { retryable: true },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An operating error: something outside went wrong or was wrong. Programmer errors are assertions, never this. */
export class OperatingError extends Error {
  override readonly name = 'OperatingError';
  readonly code: ErrorCode;
  readonly context: Readonly<Record<string, string | number | boolean | null>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; context?: Readonly<Record<string, string | number | boolean | null>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.context = options.context ?? {};
  }

  get retryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }
}
