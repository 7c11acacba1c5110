import type { EpochMs } from '../../../src/evaluator/index.ts';
import { EventHeap, type ScheduledEvent } from './event-heap.ts';

/** Kept from before anything is put in its place. */
const nextTurn = setImmediate;

/** Resolves when every promise that could go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

/** Something that will happen, and may be called off. */
export interface Appointment {
  cancel(): void;
}

/**
 * The only source of order and time in a simulated house. Everything asynchronous is an event on one queue; an event runs, the
 * promises that it settled go on as far as they can, and only then comes the next.
 *
 * There are two times. `mono` is what timers, sessions and requests run on. `now` is the wall clock, ahead of it by as much as
 * was skipped: where nothing is under way and nothing falls due, a calm of hours passes at once.
 */
export class Scheduler {
  readonly #house = new EventHeap();
  readonly #world = new EventHeap();
  readonly #startsAt: EpochMs;
  #mono = 0;
  #skipped = 0;
  #events = 0;
  /** what the real machine still works on */
  readonly #working = new Set<Promise<unknown>>();

  constructor(startsAt: EpochMs) {
    this.#startsAt = startsAt;
  }

  /** milliseconds since the house was built */
  get mono(): number {
    return this.#mono;
  }

  /** wall time, milliseconds since the epoch; whole, as a system's clock is */
  get now(): EpochMs {
    return this.#startsAt + Math.floor(this.#mono) + this.#skipped;
  }

  /** events that have happened */
  get events(): number {
    return this.#events;
  }

  /** In `ms` milliseconds of the house's own time. */
  after(ms: number, run: () => void): Appointment {
    const event: ScheduledEvent = { at: this.#mono + Math.max(0, ms), order: 0, run };
    this.#house.push(event);
    return {
      cancel: () => {
        event.run = null;
      },
    };
  }

  /** At an instant of the wall clock; what is past comes at once. */
  at(wall: EpochMs, run: () => void): void {
    this.#world.push({ at: wall, order: 0, run });
  }

  /** The next instant that the world has something in store for; null: never again. */
  get nextWorldEvent(): EpochMs | null {
    return this.#world.first?.at ?? null;
  }

  /** Lets the wall clock pass by what nobody would notice. */
  skip(ms: number): void {
    if (ms > 0) this.#skipped += Math.floor(ms);
  }

  /** Work of the real machine, in threads that this one does not see: no event comes before it is done. */
  waitFor(work: Promise<unknown>): void {
    this.#working.add(work);
    const done = (): void => void this.#working.delete(work);
    work.then(done, done);
  }

  /** The next event, and all that follows from it at once. False where there is none. */
  async step(): Promise<boolean> {
    const [house, world] = [this.#house.first, this.#world.first];
    const offset = this.#startsAt + this.#skipped;
    if (world !== undefined && (house === undefined || world.at - offset <= house.at)) {
      this.#world.pop();
      this.#mono = Math.max(this.#mono, world.at - offset);
      return await this.#happen(world);
    }
    if (house === undefined) return false;
    this.#house.pop();
    this.#mono = Math.max(this.#mono, house.at);
    return await this.#happen(house);
  }

  async #happen(event: ScheduledEvent): Promise<boolean> {
    if (event.run === null) return true;
    this.#events += 1;
    event.run();
    await settled();
    while (this.#working.size > 0) {
      await Promise.allSettled(this.#working);
      await settled();
    }
    return true;
  }
}
