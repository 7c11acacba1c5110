import type { Random } from '../random.ts';
import type { Instance } from './instance.ts';
import type { Role } from './mix.ts';
import type { Scheduler } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';
import type { Trace } from './trace.ts';

/** How long a process may take to stop before it is killed. */
const STOP_WITHIN_MS = 25_000;

/** A place in the house where a process of some role runs, one after the other. */
export interface Slot {
  readonly role: Role;
  readonly name: string;
  instance: Instance | null;
  /** whether something ought to run here */
  isWanted: boolean;
  incarnation: number;
}

/** Starts, kills, stops, pauses and wakes processes. */
export class Roles {
  readonly slots: Slot[] = [];
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;
  readonly #start: (role: Role, process: SimProcess) => Instance;
  #paused = 0;

  constructor(scheduler: Scheduler, trace: Trace, start: (role: Role, process: SimProcess) => Instance) {
    this.#scheduler = scheduler;
    this.#trace = trace;
    this.#start = start;
  }

  get isWhole(): boolean {
    return this.#paused === 0 && this.slots.every(({ isWanted, instance }) => isWanted === (instance !== null));
  }

  open(role: Role, name: string): Slot {
    const slot: Slot = { role, name, instance: null, isWanted: true, incarnation: 0 };
    this.slots.push(slot);
    this.start(slot);
    return slot;
  }

  of(role: Role): Slot[] {
    return this.slots.filter((slot) => slot.role === role && slot.instance !== null);
  }

  pick(random: Random, role: Role): Slot | null {
    const slots = this.of(role);
    return slots.length === 0 ? null : random.pick(slots);
  }

  start(slot: Slot): void {
    if (slot.instance !== null || !slot.isWanted) return;
    slot.incarnation += 1;
    const process = new SimProcess(`${slot.name}.${slot.incarnation}`);
    this.#note(process.name, 'starts');
    slot.instance = this.#start(slot.role, process);
  }

  /** `kill -9`, and the supervisor starts it again after a while. */
  crash(slot: Slot, downMs: number, why: string): void {
    const { instance } = slot;
    if (instance === null) return;
    this.#note(instance.process.name, `dies: ${why}`);
    instance.process.kill();
    slot.instance = null;
    this.#scheduler.after(downMs, () => this.start(slot));
  }

  /** SIGSTOP, and SIGCONT after a while. */
  pause(slot: Slot, forMs: number): void {
    const process = slot.instance?.process;
    if (process === undefined || process.state !== 'up') return;
    this.#note(process.name, 'is stopped');
    process.pause();
    this.#paused += 1;
    this.#scheduler.after(forMs, () => {
      this.#paused -= 1;
      this.#note(process.name, 'wakes');
      process.wake();
    });
  }

  /** SIGTERM: resolves when it has ended by itself, or has been killed because it took too long. */
  async stop(slot: Slot): Promise<void> {
    const { instance } = slot;
    if (instance === null) return;
    this.#note(instance.process.name, 'is told to stop');
    await new Promise<void>((resolve) => {
      const late = this.#scheduler.after(STOP_WITHIN_MS, resolve);
      instance.stop().then(
        () => {
          late.cancel();
          resolve();
        },
        () => undefined,
      );
    });
    if (slot.instance !== instance) return;
    this.#note(instance.process.name, 'has stopped');
    instance.process.kill();
    slot.instance = null;
  }

  slotOf(process: SimProcess): Slot | undefined {
    return this.slots.find(({ instance }) => instance?.process === process);
  }

  #note(who: string, what: string): void {
    this.#trace.add(this.#scheduler.mono, who, what);
  }
}
