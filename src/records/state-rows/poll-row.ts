import type { Json, PollState } from '../../evaluator/index.ts';
import { type Row, text, trim } from './cells.ts';
import type { Frame } from './frame.ts';

/** What the reads of one channel have come to. */
export const packPoll = (channel: string, poll: PollState, frame: Frame): Json[] =>
  trim([
    channel,
    poll.attempts,
    frame.packTime(poll.answeredAt),
    frame.packTime(poll.erroredAt),
    frame.packTime(poll.retryAt),
  ]);

export const unpackPoll = (
  [channel, attempts, answeredAt, erroredAt, retryAt]: Row,
  frame: Frame,
): [string, PollState] => [
  text(channel),
  {
    attempts: attempts as number,
    answeredAt: frame.timeOrNull(answeredAt),
    erroredAt: frame.timeOrNull(erroredAt),
    retryAt: frame.timeOrNull(retryAt),
  },
];
