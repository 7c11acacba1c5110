import type { Json, JsonObject, OperationStart } from '../../evaluator/index.ts';
import { instantMs } from '../../evaluator/index.ts';
import { type Cell, packDigest, row, text, textOrNull, trim, unpackDigest } from './cells.ts';
import type { Frame } from './frame.ts';

/** How an operation began. Its id is in the operation's row. */
export const packStart = (id: string, start: OperationStart, frame: Frame): Json[] =>
  trim([
    start.contract.id,
    start.contract.version,
    start.createdAt,
    start.at === instantMs(start.createdAt) ? null : frame.packTime(start.at),
    start.idempotencyKey === id ? null : start.idempotencyKey,
    start.input,
    packDigest(start.identity),
    frame.packSource(start.source),
    start.handoff,
    start.observeFrom,
    start.refused === null ? null : [start.refused.code, start.refused.detail],
  ]);

export const unpackStart = (id: string, cell: Cell, frame: Frame): OperationStart => {
  const [contract, version, createdAt, at, key, input, identity, source, handoff, observeFrom, refused] = row(cell);
  const [code, detail] = row(refused);
  return {
    contract: { id: text(contract), version: textOrNull(version) },
    createdAt: text(createdAt),
    at: frame.timeOrNull(at) ?? (instantMs(text(createdAt)) as number),
    idempotencyKey: textOrNull(key) ?? id,
    input: input as JsonObject,
    handoff: textOrNull(handoff),
    observeFrom: textOrNull(observeFrom),
    refused: code === undefined ? null : { code: code as 'contract_unknown' | 'input_invalid', detail: text(detail) },
    identity: unpackDigest(text(identity)),
    source: frame.unpackSource(source),
  };
};
