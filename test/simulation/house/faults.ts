import type { FaultPoint } from '../../../src/ports/fault-points.ts';
import type { Random } from '../random.ts';
import type { SimCluster } from './kafka/sim-cluster.ts';
import type { PlannedFault } from './mix.ts';
import type { Network } from './network.ts';
import type { Roles, Slot } from './roles.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';
import type { StateServer } from './sim-shard-store.ts';
import type { Trace } from './trace.ts';

interface Armed {
  readonly point: FaultPoint;
  readonly downMs: number;
  left: number;
}

type CutOff = Extract<PlannedFault, { kind: 'cut-off' }>;

/** A process that nobody relieves is joined up again after this long. */
const CUT_MAX_MS = 200_000;

/** Lets a seed's faults happen, and says whether one is still going on. */
export class Faults {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #cluster: SimCluster;
  readonly #state: StateServer;
  readonly #registry: Network;
  readonly #roles: Roles;
  readonly #trace: Trace;
  readonly counts: Record<string, number> = {};
  readonly #armed: Armed[] = [];
  readonly #armedCuts: CutOff[] = [];
  readonly #cut = new Map<SimProcess, CutOff>();
  #running = 0;
  #extra = 0;
  /** when the last one ended */
  #endedAt = 0;

  constructor(parts: {
    readonly scheduler: Scheduler;
    readonly random: Random;
    readonly cluster: SimCluster;
    readonly state: StateServer;
    readonly registry: Network;
    readonly roles: Roles;
    readonly trace: Trace;
  }) {
    this.#scheduler = parts.scheduler;
    this.#random = parts.random.fork('faults');
    this.#cluster = parts.cluster;
    this.#state = parts.state;
    this.#registry = parts.registry;
    this.#roles = parts.roles;
    this.#trace = parts.trace;
    this.#cluster.network.onRequest = (process, doing) => this.#sends(process, doing);
  }

  get isRunning(): boolean {
    return this.#running > 0 || !this.#roles.isWhole;
  }

  /** since when, in the house's own time, nothing has been wrong */
  get wellSince(): number {
    if (this.isRunning) this.#endedAt = this.#scheduler.mono;
    return this.#endedAt;
  }

  plan(faults: readonly PlannedFault[]): void {
    for (const fault of faults) this.#scheduler.at(fault.at, () => this.#begin(fault));
  }

  /** A process comes to a point at which a fault may wait for it. */
  hit(process: SimProcess, point: FaultPoint): void {
    const armed = this.#armed.find((one) => one.point === point);
    const slot = this.#roles.slotOf(process);
    if (armed === undefined || slot === undefined || process.state !== 'up') return;
    armed.left -= 1;
    if (armed.left > 0) return;
    this.#armed.splice(this.#armed.indexOf(armed), 1);
    this.#count('crash-at');
    this.#disturbed();
    this.#roles.crash(slot, armed.downMs, `at ${point}`);
  }

  /** A shard is taken: whoever had it and was cut off comes back, into the middle of it. */
  claimed(by: SimProcess): void {
    const { latencyMs } = this.#cluster.network.conditions;
    for (const [process, { latencies }] of this.#cut)
      if (process !== by) this.#scheduler.after(latencies * latencyMs, () => this.#joinUp(process));
  }

  #sends(process: SimProcess, doing: string): void {
    const armed = this.#armedCuts.find((one) => one.doing === doing);
    if (armed === undefined || this.#cut.has(process) || this.#roles.slotOf(process)?.role !== 'process') return;
    this.#armedCuts.splice(this.#armedCuts.indexOf(armed), 1);
    this.#count('cut-off');
    this.#note(process.name, `is cut off from Kafka as it sends: ${doing}`);
    this.#running += 1;
    this.#cut.set(process, armed);
    this.#cluster.network.cutOff(process);
    this.#scheduler.after(CUT_MAX_MS, () => this.#joinUp(process));
  }

  #joinUp(process: SimProcess): void {
    if (!this.#cut.delete(process)) return;
    this.#note(process.name, 'is joined up again');
    this.#cluster.network.joinUp(process);
    this.#running -= 1;
    this.#disturbed();
  }

  /** One process after the other is replaced. */
  async roll(slots: readonly Slot[]): Promise<void> {
    this.#running += 1;
    this.#count('deploy');
    for (const slot of slots) {
      await this.#roles.stop(slot);
      this.#roles.start(slot);
      await this.#pause(500);
    }
    this.#running -= 1;
    this.#disturbed();
  }

  #begin(fault: PlannedFault): void {
    this.#disturbed();
    switch (fault.kind) {
      case 'crash-at':
        this.#armed.push({ point: fault.point, downMs: fault.downMs, left: fault.times });
        return;
      case 'cut-off':
        this.#armedCuts.push(fault);
        return;
      case 'crash':
        this.#onSlot(fault.kind, fault.role, (slot) => this.#roles.crash(slot, fault.downMs, 'killed'));
        return;
      case 'pause':
        this.#onSlot(fault.kind, fault.role, (slot) => this.#roles.pause(slot, fault.forMs));
        return;
      case 'join':
        this.#count('join');
        this.#extra += 1;
        this.#roles.open('process', `extra-${this.#extra}`);
        return;
      case 'leave':
        this.#onSlot(fault.kind, 'process', (slot) => void this.#leave(slot, fault.awayMs));
        return;
      case 'deploy':
        void this.roll([...this.#roles.of('process')]);
        return;
      case 'redis-away':
        this.#away('redis-away', this.#state.network, fault.forMs);
        return;
      case 'kafka-away':
        this.#away('kafka-away', this.#cluster.network, fault.forMs);
        return;
      case 'registry-away':
        this.#away('registry-away', this.#registry, fault.forMs);
        return;
      case 'redis-failover':
        this.#note('redis', `fails over, and loses its last ${fault.writes} writes`);
        this.#state.failOver(fault.writes);
        this.#count('redis-failover');
        if (fault.awayMs > 0) this.#away('redis-away', this.#state.network, fault.awayMs);
        return;
      case 'flaky':
        this.#flaky(fault.server === 'kafka' ? this.#cluster.network : this.#state.network, fault);
        return;
    }
  }

  #onSlot(kind: string, role: Slot['role'], run: (slot: Slot) => void): void {
    const slot = this.#roles.pick(this.#random, role);
    if (slot === null) return;
    this.#count(kind);
    run(slot);
  }

  async #leave(slot: Slot, awayMs: number): Promise<void> {
    this.#running += 1;
    slot.isWanted = false;
    await this.#roles.stop(slot);
    await this.#pause(awayMs);
    slot.isWanted = true;
    this.#roles.start(slot);
    this.#running -= 1;
    this.#disturbed();
  }

  #away(kind: string, network: Network, forMs: number): void {
    if (network.conditions.isAway) return;
    this.#count(kind);
    this.#note(kind, `for ${forMs} ms`);
    network.conditions.isAway = true;
    this.#lasting(forMs, () => {
      network.conditions.isAway = false;
    });
  }

  #flaky(network: Network, { server, lost, forMs }: Extract<PlannedFault, { kind: 'flaky' }>): void {
    if (network.conditions.answerLost > 0) return;
    this.#count(`flaky-${server}`);
    this.#note(server, `loses ${lost} of its connections for ${forMs} ms`);
    network.conditions.requestLost = lost / 2;
    network.conditions.answerLost = lost / 2;
    this.#lasting(forMs, () => {
      network.conditions.requestLost = 0;
      network.conditions.answerLost = 0;
    });
  }

  #lasting(forMs: number, end: () => void): void {
    this.#running += 1;
    this.#scheduler.after(forMs, () => {
      end();
      this.#running -= 1;
      this.#disturbed();
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#scheduler.after(ms, resolve));
  }

  #disturbed(): void {
    this.#endedAt = this.#scheduler.mono;
  }

  #count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  #note(who: string, what: string): void {
    this.#trace.add(this.#scheduler.mono, who, what);
  }
}
