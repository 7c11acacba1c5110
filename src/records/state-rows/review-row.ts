import type { Json, ReviewEntry } from '../../evaluator/index.ts';
import { packDigest, type Row, text, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';

/** One decision of a reviewer. */
export const packReview = (review: ReviewEntry, frame: Frame): Json[] => [
  frame.packTime(review.at),
  review.answers,
  review.decision,
  review.reason,
  review.reviewer,
  review.decidedAt,
  packDigest(review.sha256),
];

export const unpackReview = (
  [at, answers, decision, reason, reviewer, decidedAt, sha256]: Row,
  frame: Frame,
): ReviewEntry => ({
  at: frame.time(at),
  answers: text(answers),
  decision: decision as ReviewEntry['decision'],
  reason: text(reason),
  reviewer: text(reviewer),
  decidedAt: text(decidedAt),
  sha256: unpackDigest(text(sha256)),
});
