import type { EpochMs } from '../../evaluator/index.ts';
import type { LetterHead } from './print.ts';

/** Which dead letters are meant; what is left out says nothing. */
export interface DeadLetterFilter {
  readonly code?: string;
  /** the topic it came from, with or without its prefix */
  readonly topic?: string;
  /** set aside at or after */
  readonly since?: EpochMs;
  /** only these */
  readonly ids?: readonly string[];
  /** also those that have been sent again */
  readonly redriven?: boolean;
}

export const isMeant = (letter: LetterHead, { code, topic, since, ids, redriven }: DeadLetterFilter): boolean =>
  (code === undefined || letter.code === code) &&
  (topic === undefined || (letter.topic ?? '').endsWith(topic)) &&
  (since === undefined || Date.parse(letter.at) >= since) &&
  (ids === undefined || ids.length === 0 || ids.includes(letter.id)) &&
  (redriven === true || !letter.redriven);
