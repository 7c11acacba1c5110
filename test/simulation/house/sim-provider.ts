import type { EpochMs } from '../../../src/evaluator/index.ts';
import type { ProviderReader, ReadContext, ReadOutcome, ReadRequest } from '../../../src/ports/provider-reader.ts';
import { keyOf, readList, readRefund } from '../providers.ts';
import type { Random } from '../random.ts';
import type { Weather } from '../weather.ts';
import { readableOf, type TruePayment, type TrueRefund, type World } from '../world.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';
import type { TruthLedger } from './truth-ledger.ts';

const failed = (kind: 'network' | 'server' | 'rate_limited' | 'timeout', retryAfterMs: number | null): ReadOutcome => ({
  outcome: 'error',
  kind,
  message: kind,
  httpStatus: kind === 'server' ? 503 : kind === 'rate_limited' ? 429 : null,
  retryAfterMs,
});

/** One call as the provider saw it. */
export interface SeenCall {
  readonly account: string;
  /** wall time */
  readonly at: EpochMs;
}

/** What all providers are, from outside: they answer reads out of the world, late, wrongly or not at all. */
export class SimProviders {
  readonly calls: SeenCall[] = [];
  /** most calls under way at once, by worker and account */
  readonly busiest = new Map<string, number>();
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #weather: Weather;
  readonly #ledger: TruthLedger;
  readonly #payments: ReadonlyMap<string, TruePayment>;
  readonly #refunds: ReadonlyMap<string, TrueRefund>;
  #busy = 0;

  constructor(options: {
    readonly scheduler: Scheduler;
    readonly random: Random;
    readonly world: World;
    readonly weather: Weather;
    readonly ledger: TruthLedger;
  }) {
    this.#scheduler = options.scheduler;
    this.#random = options.random.fork('providers');
    this.#weather = options.weather;
    this.#ledger = options.ledger;
    this.#payments = new Map(options.world.payments.map((payment) => [keyOf(payment), payment]));
    this.#refunds = new Map(readableOf(options.world).map((refund) => [refund.id, refund]));
  }

  /** calls under way */
  get busy(): number {
    return this.#busy;
  }

  /** The way to the providers from one worker. */
  readerFor(process: SimProcess): ProviderReader {
    const open = new Map<string, number>();
    return {
      read: (request, context) => this.#read(process, open, request, context),
      close: async () => undefined,
    };
  }

  #read(
    process: SimProcess,
    open: Map<string, number>,
    request: ReadRequest,
    { signal }: ReadContext,
  ): Promise<ReadOutcome> {
    const account = `${request.provider}:${request.account}`;
    return new Promise((resolve) => {
      process.pass(() => {
        const name = `${process.name} ${account}`;
        const now = (open.get(account) ?? 0) + 1;
        open.set(account, now);
        this.busiest.set(name, Math.max(this.busiest.get(name) ?? 0, now));
        this.calls.push({ account, at: this.#scheduler.now });
        this.#busy += 1;
        let isOver = false;
        const end = (): void => {
          if (isOver) return;
          isOver = true;
          this.#busy -= 1;
          open.set(account, (open.get(account) ?? 1) - 1);
        };
        const chance = this.#random.fork(`call ${this.calls.length}`);
        const { readLost, readFailed, isProviderSlow } = this.#weather;
        // Who gives up closes the connection.
        signal.addEventListener('abort', end, { once: true });
        if (chance.chance(readLost)) {
          this.#scheduler.after(120_000, end);
          return;
        }
        const takesMs = isProviderSlow && chance.chance(0.2) ? chance.int(3_000, 25_000) : chance.int(20, 400);
        this.#scheduler.after(takesMs, () => {
          end();
          const answer = chance.chance(readFailed)
            ? failed(chance.pick(['network', 'server', 'rate_limited', 'timeout']), chance.pick([null, 2_000, 60_000]))
            : this.#answer(request, chance);
          process.pass(() => resolve(answer));
        });
      });
    });
  }

  #answer(request: ReadRequest, chance: Random): ReadOutcome {
    const { readLagMs } = this.#weather;
    const knownAt = this.#scheduler.now - (readLagMs === 0 ? 0 : chance.int(0, readLagMs));
    const payment = this.#payments.get(`${request.provider}:${request.account}:${request.paymentId}`);
    const known = request.resourceId === null ? undefined : this.#refunds.get(request.resourceId);
    // One that was made since the house was built.
    const refund = known ?? payment?.refunds.find(({ id }) => id === request.resourceId);
    if (payment === undefined) return { outcome: 'absent', httpStatus: 404 };
    const answer = request.reads === 'payment' ? readList(payment, knownAt) : readRefund(refund, knownAt);
    if (answer.outcome === 'absent' || answer.body === null) return { outcome: 'absent', httpStatus: 404 };
    this.#ledger.answer(answer.body, answer.facts);
    return { outcome: 'ok', httpStatus: 200, body: answer.body };
  }
}
