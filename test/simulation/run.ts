import type { PaymentState } from '../../src/evaluator/index.ts';
import { Numbering, schedule } from './delivery.ts';
import { drawSize } from './draw-size.ts';
import { drawWorld } from './draw-world.ts';
import type { Delivered } from './item.ts';
import { Pipeline, type Published } from './pipeline.ts';
import { Random } from './random.ts';
import { ReadAgenda } from './read-agenda.ts';
import { ReadWorker } from './reads.ts';
import { drawWeather, type Weather } from './weather.ts';
import { operationsOf, type World } from './world.ts';

/** No operation needs so many reads; a clock that does not move on would need more. */
const READS_MAX = 2_000;

/** Everything that a run came to. */
export interface Run {
  readonly seed: number;
  readonly world: World;
  readonly weather: Weather;
  /** in the order in which records reached the pipeline */
  readonly delivered: readonly Delivered[];
  readonly verdicts: readonly Published[];
  readonly states: ReadonlyMap<string, PaymentState>;
  readonly deadLetters: ReadonlyMap<number, string>;
  /** played without a house */
  readonly isCore: boolean;
  /** whether the reads were still coming when it was stopped */
  readonly isEndless: boolean;
}

/** Records not delivered yet, soonest first. */
class Queue {
  readonly #items: Delivered[];

  constructor(items: readonly Delivered[]) {
    this.#items = [...items].reverse();
  }

  get first(): Delivered | undefined {
    return this.#items.at(-1);
  }

  take(): Delivered | undefined {
    return this.#items.pop();
  }

  add(delivered: Delivered): void {
    let index = this.#items.length;
    while (index > 0 && (this.#items[index - 1]?.at ?? 0) <= delivered.at) index -= 1;
    this.#items.splice(index, 0, delivered);
  }
}

/** The world and the weather of a seed, played through the real admission and reducer until everything is past its deadline. */
export const simulate = (seed: number): Run => {
  const random = new Random(seed);
  const world = drawWorld(random.fork('world'), drawSize(seed, 3, 1_600));
  const weather = drawWeather(random.fork('weather'), world.startsAt);
  const numbering = new Numbering();
  const queue = new Queue(schedule(world, weather, random.fork('schedule'), numbering));
  const worker = new ReadWorker(world, weather, random.fork('reads'), numbering);
  const pipeline = new Pipeline(weather);
  const agenda = new ReadAgenda(world, pipeline);
  const delivered: Delivered[] = [];
  const readsMax = READS_MAX * operationsOf(world).length;
  let now = world.startsAt - 3_600_000;
  pipeline.advance(now);
  for (;;) {
    const record = queue.first;
    const read = worker.count >= readsMax ? null : agenda.next(now);
    if (read !== null && read.at <= world.endsAt && (record === undefined || read.at < record.at)) {
      now = read.at;
      pipeline.advance(now);
      const { deliveries, heldUntil } = worker.perform(read.payment, read.due, now);
      agenda.hold(read, heldUntil);
      for (const one of deliveries) queue.add(one);
      continue;
    }
    if (record === undefined || record.at > world.endsAt) break;
    queue.take();
    now = Math.max(now, record.at);
    pipeline.advance(now);
    pipeline.apply(record);
    delivered.push({ at: now, item: record.item });
  }
  pipeline.advance(world.endsAt);
  return { ...outcome(seed, world, weather, delivered, pipeline), isEndless: worker.count >= readsMax, isCore: true };
};

const outcome = (
  seed: number,
  world: World,
  weather: Weather,
  delivered: readonly Delivered[],
  pipeline: Pipeline,
) => ({
  seed,
  world,
  weather,
  delivered,
  verdicts: pipeline.verdicts,
  states: pipeline.states,
  deadLetters: pipeline.deadLetters,
});

const again = new WeakMap<readonly Delivered[], Run>();

/** The same records, or some of them, at the instants given: nobody answers reads. */
export const redeliver = (run: Run, delivered: readonly Delivered[]): Run => {
  const known = again.get(delivered);
  if (known !== undefined) return known;
  const redelivered = redeliverNow(run, delivered);
  // Several checks ask for the same.
  again.set(delivered, redelivered);
  return redelivered;
};

const redeliverNow = (run: Run, delivered: readonly Delivered[]): Run => {
  const pipeline = new Pipeline(run.weather);
  for (const one of delivered) {
    pipeline.advance(one.at);
    pipeline.apply(one);
  }
  pipeline.advance(run.world.endsAt);
  return { ...outcome(run.seed, run.world, run.weather, delivered, pipeline), isEndless: false, isCore: run.isCore };
};

/** The same records once each, in the order of their own times. */
export const sortRecords = (delivered: readonly Delivered[]): Delivered[] => {
  const once = new Map(delivered.map(({ item }) => [item.id, item]));
  return [...once.values()].sort((a, b) => a.at - b.at || a.id - b.id).map((item) => ({ at: item.at, item }));
};
