import type { EpochMs } from '../../src/evaluator/index.ts';
import type { Delivered, Item } from './item.ts';
import type { Run } from './run.ts';
import type { TrueOperation, TrueRefund } from './world.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** When what was delivered: all that an outside observer could know, and from when. Infinity: never. */
export class Evidence {
  readonly #delivered: readonly Delivered[];

  constructor(run: Run) {
    this.#delivered = run.delivered;
  }

  #first(matches: (item: Item) => boolean): EpochMs {
    return this.#delivered.find(({ item }) => matches(item))?.at ?? NEVER;
  }

  startedAt(operation: TrueOperation): EpochMs {
    return this.#first(({ about }) => about.kind === 'started' && about.operationId === operation.id);
  }

  /** From when an answer of the operation's own call names the refund. */
  reportedAt(operation: TrueOperation, refund: TrueRefund): EpochMs {
    return this.#first(
      ({ about }) => about.kind === 'acted' && about.operationId === operation.id && about.refundId === refund.id,
    );
  }

  /** From when any answer of the operation's names a refund. */
  anyReportAt(operation: TrueOperation): EpochMs {
    return this.#first(
      ({ about }) => about.kind === 'acted' && about.operationId === operation.id && about.refundId !== null,
    );
  }

  /** The earliest time, by the records' own, at which anything that was delivered by `until` names the refund. */
  namedAt(refund: TrueRefund, until: EpochMs): EpochMs {
    let namedAt = NEVER;
    for (const { at, item } of this.#delivered) {
      const { about } = item;
      const isNamed =
        (about.kind === 'acted' && about.refundId === refund.id) ||
        ((about.kind === 'event' || about.kind === 'read') &&
          about.facts.some(({ refundId }) => refundId === refund.id));
      if (at <= until && isNamed) namedAt = Math.min(namedAt, item.at);
    }
    return namedAt;
  }

  /** From when an event, a read or a list with particulars tells of the refund. */
  seenAt(refund: TrueRefund): EpochMs {
    return this.#first(
      ({ about }) =>
        (about.kind === 'event' || about.kind === 'read') &&
        about.facts.some(({ refundId, standing }) => refundId === refund.id && standing !== null),
    );
  }

  /** From when an event says of the refund that it is complete. */
  completeEventAt(refund: TrueRefund): EpochMs {
    return this.#first(
      ({ about }) =>
        about.kind === 'event' &&
        about.facts.some(({ refundId, standing }) => refundId === refund.id && standing === 'complete'),
    );
  }

  anyEventAt(refund: TrueRefund): EpochMs {
    return this.#first(
      ({ about }) => about.kind === 'event' && about.facts.some(({ refundId }) => refundId === refund.id),
    );
  }

  /** From when anything says of the refund that it is dead. */
  deadToldAt(refund: TrueRefund): EpochMs {
    return this.#first(
      ({ about }) =>
        (about.kind === 'event' || about.kind === 'read') &&
        about.facts.some(({ refundId, standing }) => refundId === refund.id && standing === 'dead'),
    );
  }

  deadEventAt(refund: TrueRefund): EpochMs {
    return this.#first(
      ({ about }) =>
        about.kind === 'event' &&
        about.facts.some(({ refundId, standing }) => refundId === refund.id && standing === 'dead'),
    );
  }

  /** From when a read of the refund itself, made at or after `from`, says that it is dead. */
  deadReadAt(refund: TrueRefund, from: EpochMs): EpochMs {
    return this.#first(
      ({ about, at }) =>
        about.kind === 'read' &&
        !about.isList &&
        at >= from &&
        about.facts.some(({ refundId, standing }) => refundId === refund.id && standing === 'dead'),
    );
  }
}
