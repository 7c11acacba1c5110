import { createAdmission } from '../../src/consumers/admit.ts';
import { createContractSet } from '../../src/contracts/contract-set.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { ReplayEngine } from '../../src/drivers/memory/replay-engine.ts';
import type {
  Contract,
  ContractSet,
  DueRead,
  EpochMs,
  PaymentState,
  VerdictRecord,
} from '../../src/evaluator/index.ts';
import { paymentKey, printInstant, reducePayment } from '../../src/evaluator/index.ts';
import type { Delivered } from './item.ts';
import { signedEndpoints } from './signing.ts';
import type { Weather } from './weather.ts';

const NEXT_VERSION = '90.0.0';

const shipped = loadContracts();

/** The shipped contracts with a backoff of up to six hours: the same rules and the same clock, in some fifty reads a wait. */
const widened = createContractSet(
  shipped.all.map(({ contract }) => ({
    ...contract,
    timing: { ...contract.timing, backoff_max_ms: 6 * 3_600_000 },
  })),
);

/** The contracts before newer versions are deployed. */
export const contractsBefore = (weather: Weather): ContractSet => (weather.isShippedBackoff ? shipped : widened);

const withNext = new WeakMap<Weather, ContractSet>();

/** All contracts of a run: those deployed first, and newer versions of the same rules where the run has them. */
export const contractsOf = (weather: Weather): ContractSet => {
  const before = contractsBefore(weather);
  if (weather.nextVersionsFrom === null) return before;
  let all = withNext.get(weather);
  if (all === undefined) {
    const effective_from = printInstant(weather.nextVersionsFrom);
    const newest = before.all.filter(
      ({ ref }, index, list) => list.findIndex((one) => one.ref.id === ref.id) === index,
    );
    const next = newest.map(
      ({ contract }): Contract => ({
        ...contract,
        contract: { ...contract.contract, version: NEXT_VERSION },
        effective_from,
      }),
    );
    all = createContractSet([...before.all.map(({ contract }) => contract), ...next]);
    withNext.set(weather, all);
  }
  return all;
};

/** A verdict, with how many records had been delivered when it came. */
export interface Published {
  readonly at: EpochMs;
  readonly verdict: VerdictRecord;
}

/** Admission and reducer, as `replay` runs them, with what they publish and ask for. */
export class Pipeline {
  readonly verdicts: Published[] = [];
  readonly states = new Map<string, PaymentState>();
  /** payment key → every read now wanted for it */
  readonly wanted = new Map<string, readonly DueRead[]>();
  /** codes of what went to dead-letter, by item id */
  readonly deadLetters = new Map<number, string>();
  #changed = new Set<string>();
  readonly #engine: ReplayEngine;

  constructor(weather: Weather) {
    const contracts = contractsOf(weather);
    const admission = createAdmission({
      contracts,
      endpoints: weather.isSigned ? signedEndpoints() : [],
      trustGateway: !weather.isSigned,
      testMode: false,
    });
    this.#engine = new ReplayEngine({
      contracts,
      admission,
      reduce: (set, input) => {
        const step = reducePayment(set, input);
        const key = paymentKey(input.ref);
        this.states.set(key, step.state);
        this.wanted.set(key, step.reads);
        this.#changed.add(key);
        return step;
      },
    });
  }

  get now(): EpochMs {
    return this.#engine.now;
  }

  /** Payments of which other reads are wanted than when this was last asked. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    if (changed.size > 0) this.#changed = new Set();
    return changed;
  }

  /** Lets time pass: windows end and deadlines come. */
  advance(to: EpochMs): void {
    for (const { verdicts } of this.#engine.advance(to)) this.#keep(verdicts);
  }

  /** A record arrives. Time is its own at least. */
  apply({ item }: Delivered): void {
    const { verdicts, deadLetters } = this.#engine.apply([item.decoded]);
    this.#keep(verdicts);
    for (const { code } of deadLetters) this.deadLetters.set(item.id, code);
  }

  #keep(verdicts: readonly VerdictRecord[]): void {
    for (const verdict of verdicts) this.verdicts.push({ at: Date.parse(verdict.decided_at), verdict });
  }
}
