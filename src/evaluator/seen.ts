import type { Json } from './json.ts';

/** What a path leads to. `isSuspect`: a lagging read may show it wrongly, so it proves but does not disprove. */
export type Seen =
  | { readonly kind: 'value'; readonly value: Json; readonly isSuspect: boolean }
  | { readonly kind: 'interval'; readonly least: number; readonly most: number; readonly why: string | null }
  | { readonly kind: 'unknown'; readonly why: string };

const unknown = (why: string): Seen => ({ kind: 'unknown', why });

/** The reasons why nothing is seen, made once: most evaluations meet many. */
export const MISSING = unknown('missing');
export const NO_ANSWER = unknown('no_answer');
export const CHANNEL_UNDECLARED = unknown('channel_undeclared');
export const TYPE_MISMATCH = unknown('type_mismatch');
export const LIST_TOO_LONG = unknown('list_too_long');
export const LIST_INCOMPLETE = unknown('list_incomplete');

/** A value that is there; one that is not, or is null, is missing. */
export const seenValue = (json: Json | undefined, isSuspect = false): Seen =>
  json === undefined || json === null ? MISSING : { kind: 'value', value: json, isSuspect };
