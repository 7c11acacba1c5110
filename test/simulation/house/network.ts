import type { Random } from '../random.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';

/** How a network treats what is sent over it; changed while a run goes on. */
export interface Conditions {
  /** milliseconds one way, mostly */
  latencyMs: number;
  /** the connection breaks before the request is there */
  requestLost: number;
  /** the request is served, and the connection breaks before the answer is there */
  answerLost: number;
  /** nothing gets through */
  isAway: boolean;
}

export const calmConditions = (latencyMs: number): Conditions => ({
  latencyMs,
  requestLost: 0,
  answerLost: 0,
  isAway: false,
});

const BREAK_MS = 3;

/** What everybody asks over and over, and what changes nothing: the calm goes on all the same. */
const QUIET: ReadonlySet<string> = new Set(['fetch', 'heartbeat', 'list offsets', 'metadata']);

/** Requests from processes to a server. Those of one process to one server arrive in the order they were sent. */
export class Network {
  readonly conditions: Conditions;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #broken: (doing: string) => Error;
  readonly #lastArrival = new Map<SimProcess, number>();
  /** processes that are cut off, with what they sent meanwhile */
  readonly #cut = new Map<SimProcess, (() => void)[]>();
  /** told of every request before it is sent */
  onRequest: (process: SimProcess, doing: string) => void = () => undefined;
  #busy = 0;
  lost = 0;

  /** @param broken the error of a connection that breaks */
  constructor(scheduler: Scheduler, random: Random, conditions: Conditions, broken: (doing: string) => Error) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.conditions = conditions;
    this.#broken = broken;
  }

  /** requests and answers on their way now, but for {@link QUIET} ones; a request that its server holds back is not */
  get busy(): number {
    return this.#busy;
  }

  /**
   * Sends a request. `serve` runs at the server when it arrives, and may keep the answer for as long as it likes. Rejects with
   * what it threw, or with a broken connection: nobody knows then whether it was served.
   */
  request<T>(process: SimProcess, doing: string, serve: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      process.pass(() => {
        this.onRequest(process, doing);
        const send = (): void => this.#send(process, doing, serve, resolve, reject);
        const cut = this.#cut.get(process);
        if (cut === undefined) send();
        else cut.push(send);
      });
    });
  }

  /** What the process sends from now on stays on its way until {@link joinUp}. */
  cutOff(process: SimProcess): void {
    if (!this.#cut.has(process)) this.#cut.set(process, []);
  }

  joinUp(process: SimProcess): void {
    const cut = this.#cut.get(process) ?? [];
    this.#cut.delete(process);
    for (const send of cut) send();
  }

  #send<T>(
    process: SimProcess,
    doing: string,
    serve: () => T | Promise<T>,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): void {
    const { requestLost, answerLost } = this.conditions;
    const isLost = requestLost > 0 && this.#random.chance(requestLost);
    const isDeaf = answerLost > 0 && this.#random.chance(answerLost);
    const fail = (): void => {
      this.lost += 1;
      this.#after(doing, BREAK_MS, () => process.pass(() => reject(this.#broken(doing))));
    };
    const answer = (give: () => void): void => {
      if (isDeaf || this.conditions.isAway) fail();
      else this.#after(doing, this.#latency(), () => process.pass(give));
    };
    const arrive = (): void => {
      if (isLost || this.conditions.isAway) {
        fail();
        return;
      }
      const served = (async () => await serve())();
      served.then(
        (value) => answer(() => resolve(value)),
        (error) => answer(() => reject(error)),
      );
    };
    this.#after(doing, this.#arrivalOf(process) - this.#scheduler.mono, arrive);
  }

  #arrivalOf(process: SimProcess): number {
    const arrival = Math.max(this.#scheduler.mono + this.#latency(), this.#lastArrival.get(process) ?? 0);
    this.#lastArrival.set(process, arrival);
    return arrival;
  }

  #latency(): number {
    const { latencyMs } = this.conditions;
    const isSlow = this.#random.chance(0.02);
    return latencyMs * (0.3 + this.#random.next()) * (isSlow ? 20 : 1);
  }

  #after(doing: string, ms: number, run: () => void): void {
    const weight = QUIET.has(doing) ? 0 : 1;
    this.#busy += weight;
    this.#scheduler.after(ms, () => {
      this.#busy -= weight;
      run();
    });
  }
}
