import type { EpochMs } from '../../src/evaluator/index.ts';
import type { Delivered, Fact, Item } from './item.ts';
import type { Run } from './run.ts';
import type { TrueOperation, TrueRefund } from './world.ts';

const NEVER = Number.POSITIVE_INFINITY;

const factsOf = ({ about }: Item): readonly Fact[] =>
  about.kind === 'event' || about.kind === 'read' ? about.facts : [];

/** The records of what was delivered, by the name that each has in a list of its own. */
class Deliveries {
  readonly #lists = new Map<string, Delivered[]>();

  add(name: string, delivered: Delivered): void {
    const list = this.#lists.get(name);
    if (list === undefined) this.#lists.set(name, [delivered]);
    else if (list.at(-1) !== delivered) list.push(delivered);
  }

  of(name: string): readonly Delivered[] {
    return this.#lists.get(name) ?? [];
  }
}

/** When what was delivered: all that an outside observer could know, and from when. Infinity: never. */
export class Evidence {
  /** what the payment service says, by operation */
  readonly #said = new Deliveries();
  /** answers of the service's own calls, by the refund that they name */
  readonly #reported = new Deliveries();
  /** events and reads, by the refund that they tell of */
  readonly #told = new Deliveries();

  constructor(run: Run) {
    for (const delivered of run.delivered) {
      const { item } = delivered;
      const { about } = item;
      if (about.kind === 'started' || about.kind === 'acted') this.#said.add(about.operationId, delivered);
      if (about.kind === 'acted' && about.refundId !== null) this.#reported.add(about.refundId, delivered);
      for (const { refundId } of factsOf(item)) this.#told.add(refundId, delivered);
    }
  }

  #firstSaid(operation: TrueOperation, matches: (item: Item) => boolean): EpochMs {
    return this.#said.of(operation.id).find(({ item }) => matches(item))?.at ?? NEVER;
  }

  #firstTold(refund: TrueRefund, matches: (item: Item, fact: Fact, at: EpochMs) => boolean): EpochMs {
    const first = this.#told
      .of(refund.id)
      .find(({ at, item }) => factsOf(item).some((fact) => fact.refundId === refund.id && matches(item, fact, at)));
    return first?.at ?? NEVER;
  }

  startedAt(operation: TrueOperation): EpochMs {
    return this.#firstSaid(operation, ({ about }) => about.kind === 'started');
  }

  /** From when an answer of the operation's own call names the refund. */
  reportedAt(operation: TrueOperation, refund: TrueRefund): EpochMs {
    return this.#firstSaid(operation, ({ about }) => about.kind === 'acted' && about.refundId === refund.id);
  }

  /** From when any answer of the operation's names a refund. */
  anyReportAt(operation: TrueOperation): EpochMs {
    return this.#firstSaid(operation, ({ about }) => about.kind === 'acted' && about.refundId !== null);
  }

  /** The earliest time, by the records' own, at which anything that was delivered by `until` names the refund. */
  namedAt(refund: TrueRefund, until: EpochMs): EpochMs {
    let namedAt = NEVER;
    for (const list of [this.#reported, this.#told])
      for (const { at, item } of list.of(refund.id)) if (at <= until) namedAt = Math.min(namedAt, item.at);
    return namedAt;
  }

  /** From when an event, a read or a list with particulars tells of the refund. */
  seenAt(refund: TrueRefund): EpochMs {
    return this.#firstTold(refund, (_, { standing }) => standing !== null);
  }

  /** From when an event says of the refund that it is complete. */
  completeEventAt(refund: TrueRefund): EpochMs {
    return this.#firstTold(refund, ({ about }, { standing }) => about.kind === 'event' && standing === 'complete');
  }

  anyEventAt(refund: TrueRefund): EpochMs {
    return this.#firstTold(refund, ({ about }) => about.kind === 'event');
  }

  /** From when anything says of the refund that it is dead. */
  deadToldAt(refund: TrueRefund): EpochMs {
    return this.#firstTold(refund, (_, { standing }) => standing === 'dead');
  }

  deadEventAt(refund: TrueRefund): EpochMs {
    return this.#firstTold(refund, ({ about }, { standing }) => about.kind === 'event' && standing === 'dead');
  }

  /** From when a read of the refund itself, made at or after `from`, says that it is dead. */
  deadReadAt(refund: TrueRefund, from: EpochMs): EpochMs {
    return this.#firstTold(
      refund,
      ({ about }, { standing }, at) => about.kind === 'read' && !about.isList && at >= from && standing === 'dead',
    );
  }
}
