import type { DeadLetter } from '../../drivers/kafka/redriven.ts';
import type { EpochMs } from '../../evaluator/index.ts';

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

export const isMeant = (letter: DeadLetter, { code, topic, since, ids, redriven }: DeadLetterFilter): boolean =>
  (code === undefined || letter.code === code) &&
  (topic === undefined || letter.record.topic === topic || letter.record.topic.endsWith(topic)) &&
  (since === undefined || letter.at.timestamp >= since) &&
  (ids === undefined || ids.length === 0 || ids.includes(letter.id)) &&
  (redriven === true || !letter.isRedriven);
