import type { ActionEntry, Json, JsonObject } from '../../evaluator/index.ts';
import { packDigest, type Row, row, text, textOrNull, trim, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';

/** One answer of the action, or how it failed. */
export const packAction = (action: ActionEntry, frame: Frame): Json[] =>
  trim([
    frame.packTime(action.at),
    action.completedAt,
    packDigest(action.sha256),
    action.result,
    action.refundId,
    action.error === null ? null : [action.error.kind, action.error.httpStatus, action.error.code],
  ]);

export const unpackAction = (cells: Row, frame: Frame): ActionEntry => {
  const [at, completedAt, sha256, result, refundId, error] = cells;
  const [kind, httpStatus, code] = row(error);
  return {
    at: frame.time(at),
    completedAt: text(completedAt),
    sha256: unpackDigest(text(sha256)),
    result: (result ?? null) as JsonObject | null,
    refundId: textOrNull(refundId),
    error:
      kind === undefined
        ? null
        : { kind: text(kind), httpStatus: (httpStatus ?? null) as number | null, code: textOrNull(code) },
  };
};
