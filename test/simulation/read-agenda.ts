import type { DueRead, EpochMs } from '../../src/evaluator/index.ts';
import type { Pipeline } from './pipeline.ts';
import { keyOf } from './providers.ts';
import type { TruePayment, World } from './world.ts';

/** A read that a worker may perform, and when. */
export interface NextRead {
  readonly payment: TruePayment;
  readonly due: DueRead;
  readonly at: EpochMs;
}

const NEVER = Number.POSITIVE_INFINITY;

const nameOf = (key: string, due: DueRead): string => [key, due.operationId, due.channel, due.resourceId].join(' ');

/** The reads that a pipeline wants, less those that workers are busy with. Only what has changed is looked through again. */
export class ReadAgenda {
  readonly #payments: readonly TruePayment[];
  readonly #keys: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #pipeline: Pipeline;
  readonly #heldUntil = new Map<string, EpochMs>();
  /** when the first read of each payment is free and due */
  readonly #soonest: Float64Array;

  constructor(world: World, pipeline: Pipeline) {
    this.#payments = world.payments;
    this.#keys = world.payments.map(keyOf);
    this.#places = new Map(this.#keys.map((key, place) => [key, place]));
    this.#pipeline = pipeline;
    this.#soonest = new Float64Array(world.payments.length).fill(NEVER);
  }

  hold({ payment, due }: NextRead, until: EpochMs): void {
    const key = keyOf(payment);
    this.#heldUntil.set(nameOf(key, due), until);
    this.#look(key);
  }

  /** The first read at or after `now`; of those of one instant, the first of the first payment. */
  next(now: EpochMs): NextRead | null {
    for (const key of this.#pipeline.takeChanged()) this.#look(key);
    let [first, firstAt] = [-1, NEVER];
    for (let place = 0; place < this.#soonest.length; place += 1) {
      const at = Math.max(this.#soonest[place] ?? NEVER, now);
      if (at >= firstAt) continue;
      [first, firstAt] = [place, at];
    }
    const [payment, key] = [this.#payments[first], this.#keys[first]];
    if (payment === undefined || key === undefined) return null;
    for (const due of this.#pipeline.wanted.get(key) ?? [])
      if (Math.max(this.#freeAt(key, due), now) === firstAt) return { payment, due, at: firstAt };
    throw new TypeError(`no read of ${key} is due at ${firstAt}`);
  }

  #look(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    let soonest = NEVER;
    for (const due of this.#pipeline.wanted.get(key) ?? []) soonest = Math.min(soonest, this.#freeAt(key, due));
    this.#soonest[place] = soonest;
  }

  #freeAt(key: string, due: DueRead): EpochMs {
    return Math.max(due.dueAt, (this.#heldUntil.get(nameOf(key, due)) ?? 0) + 1);
  }
}
