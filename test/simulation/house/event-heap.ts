/** An event and when it comes; one that was called off has nothing to run. */
export interface ScheduledEvent {
  readonly at: number;
  /** given by the heap: of two events of one instant, the one that was scheduled first comes first */
  order: number;
  run: (() => void) | null;
}

const isBefore = (a: ScheduledEvent, b: ScheduledEvent): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A queue of events by time: a binary heap. */
export class EventHeap {
  readonly #heap: ScheduledEvent[] = [];
  #order = 0;

  get first(): ScheduledEvent | undefined {
    this.#dropCancelled();
    return this.#heap[0];
  }

  push(event: ScheduledEvent): void {
    this.#order += 1;
    event.order = this.#order;
    const heap = this.#heap;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  pop(): ScheduledEvent | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || last === first) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      let child = heap[below];
      if (child === undefined) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, child)) {
        below += 1;
        child = right;
      }
      if (isBefore(last, child)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = last;
    return first;
  }

  #dropCancelled(): void {
    while (this.#heap[0] !== undefined && this.#heap[0].run === null) this.pop();
  }
}
