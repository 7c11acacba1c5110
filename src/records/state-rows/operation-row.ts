import type { Json, OperationState } from '../../evaluator/index.ts';
import { packAction, unpackAction } from './action-row.ts';
import { packDigest, type Row, row, rows, text, trim, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';
import { packPoll, unpackPoll } from './poll-row.ts';
import { packPublished, unpackPublished } from './published-row.ts';
import { packReview, unpackReview } from './review-row.ts';
import { packStart, unpackStart } from './start-row.ts';

/** One operation with all that was said, asked and published of it. */
export const packOperation = (id: string, operation: OperationState, frame: Frame): Json[] =>
  trim([
    id,
    operation.start === null ? null : packStart(id, operation.start, frame),
    operation.actions.map((action) => packAction(action, frame)),
    Object.entries(operation.polls).map(([channel, poll]) => packPoll(channel, poll, frame)),
    operation.published.map((one) => packPublished(one, frame)),
    operation.reviews.length === 0 ? null : operation.reviews.map((review) => packReview(review, frame)),
    operation.rivals.length === 0
      ? null
      : operation.rivals.map(({ identity, at }) => [packDigest(identity), frame.packTime(at)]),
    operation.receipt === null ? null : [operation.receipt.revision, operation.receipt.hash],
  ]);

const unpackReceipt = ([revision, hash]: Row): OperationState['receipt'] =>
  revision === undefined ? null : { revision: revision as number, hash: text(hash) };

export const unpackOperation = (
  [idCell, start, actions, polls, published, reviews, rivals, receipt]: Row,
  frame: Frame,
): [string, OperationState] => {
  const id = text(idCell);
  return [
    id,
    {
      start: start === null || start === undefined ? null : unpackStart(id, start, frame),
      rivals: rows(rivals).map(([identity, at]) => ({ identity: unpackDigest(text(identity)), at: frame.time(at) })),
      actions: rows(actions).map((cells) => unpackAction(cells, frame)),
      polls: Object.fromEntries(rows(polls).map((cells) => unpackPoll(cells, frame))),
      reviews: rows(reviews).map((cells) => unpackReview(cells, frame)),
      published: rows(published).map((cells) => unpackPublished(cells, frame)),
      receipt: unpackReceipt(row(receipt)),
    },
  ];
};
