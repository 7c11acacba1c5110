import type { DueRead, EpochMs, JsonObject } from '../../src/evaluator/index.ts';
import { printInstant } from '../../src/evaluator/index.ts';
import type { Numbering } from './delivery.ts';
import type { Delivered } from './item.ts';
import { readList, readRefund } from './providers.ts';
import type { Random } from './random.ts';
import type { Weather } from './weather.ts';
import { readableOf, type TruePayment, type TrueRefund, type World } from './world.ts';

/** A claimed read that never comes back is given out again after this long. */
const LEASE_MS = 30_000;

/** A read as the worker performed it: what reaches the pipeline, and until when nobody else does it. */
export interface PerformedRead {
  readonly deliveries: readonly Delivered[];
  readonly heldUntil: EpochMs;
}

/** The readback worker against the simulated providers. */
export class ReadWorker {
  readonly #weather: Weather;
  readonly #random: Random;
  readonly #numbering: Numbering;
  readonly #refunds: ReadonlyMap<string, TrueRefund>;
  #count = 0;

  constructor(world: World, weather: Weather, random: Random, numbering: Numbering) {
    this.#weather = weather;
    this.#random = random;
    this.#numbering = numbering;
    this.#refunds = new Map(readableOf(world).map((refund) => [refund.id, refund]));
  }

  /** reads performed so far */
  get count(): number {
    return this.#count;
  }

  perform(payment: TruePayment, due: DueRead, at: EpochMs): PerformedRead {
    this.#count += 1;
    const weather = this.#weather;
    const chance = this.#random.fork(`read ${this.#count}`);
    const observedAt = at + chance.int(20, 400);
    if (chance.chance(weather.readLost)) return { deliveries: [], heldUntil: at + LEASE_MS };
    const isFailed = chance.chance(weather.readFailed);
    const knownAt = observedAt - (weather.readLagMs === 0 ? 0 : chance.int(0, weather.readLagMs));
    const refund = due.resourceId === null ? undefined : this.#refunds.get(due.resourceId);
    const answer = due.channel === 'payment_readback' ? readList(payment, knownAt) : readRefund(refund, knownAt);
    const outcome = isFailed ? ('error' as const) : answer.outcome;
    const value: JsonObject = {
      kind: 'readback.result',
      operation_id: due.operationId,
      provider: payment.provider,
      account: payment.account,
      payment_id: payment.id,
      channel: due.channel,
      purpose: due.purpose,
      ...(due.resourceId === null ? {} : { resource_id: due.resourceId }),
      attempt: due.attempt,
      requested_at: printInstant(at),
      observed_at: printInstant(observedAt),
      outcome,
      ...(outcome === 'ok' ? { http_status: 200, body: answer.body ?? '' } : {}),
      ...(outcome === 'error'
        ? { error: { kind: chance.pick(['timeout', 'network', 'server', 'rate_limited']) } }
        : {}),
    };
    const about = {
      kind: 'read' as const,
      operationId: due.operationId,
      channel: due.channel,
      purpose: due.purpose,
      outcome,
      isList: answer.isList,
      facts: outcome === 'ok' ? answer.facts : [],
    };
    const item = this.#numbering.item(about, 'readback-result', value);
    const arrivesAt = observedAt + 2 + Math.round(weather.readDelayMs * chance.next() ** 3);
    const deliveries = [{ at: arrivesAt, item }];
    while (chance.chance(weather.readDoubled)) deliveries.push({ at: arrivesAt + chance.int(0, 600_000), item });
    return { deliveries, heldUntil: arrivesAt };
  }
}
