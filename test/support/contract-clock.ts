import { PROVIDER_BODIES, type ToldRefund } from '../../src/contracts/cases/bodies.ts';
import { EmbeddedPipeline } from '../../src/drivers/memory/embedded-pipeline.ts';
import type { CompiledContract, JsonObject, ProviderName, VerdictRecord } from '../../src/evaluator/index.ts';
import type { ReadOutcome, ReadRequest } from '../../src/ports/provider-reader.ts';
import type { RecordSink } from '../../src/ports/record-sink.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { createReadbackProducer } from '../../src/producers/readback-producer.ts';
import { printJson } from '../../src/records/index.ts';
import { trustingDeps } from './batch-deps.ts';
import { ReadbackFixture } from './readback-fixture.ts';
import { settle, type TestTime } from './test-time.ts';

/** The provider's words for a refund whose money is on its way, and one that is done; the event that tells of it; the intent. */
const PROVIDERS: Readonly<
  Record<ProviderName, { pending: string; done: string; event: string; amount: string | number; input: JsonObject }>
> = {
  paypal: {
    pending: 'PENDING',
    done: 'COMPLETED',
    event: 'PAYMENT.CAPTURE.REFUNDED',
    amount: '10.00',
    input: { capture_id: PROVIDER_BODIES.paypal.payment, amount: '10.00', currency_code: 'USD' },
  },
  square: {
    pending: 'PENDING',
    done: 'COMPLETED',
    event: 'refund.updated',
    amount: 1000,
    input: { payment_id: PROVIDER_BODIES.square.payment, amount: 1000, currency: 'USD' },
  },
  shopify: {
    pending: 'PENDING',
    done: 'SUCCESS',
    event: 'REFUNDS_CREATE',
    amount: '10.00',
    input: { order_id: PROVIDER_BODIES.shopify.payment, amount: '10.00', currency_code: 'USD' },
  },
  stripe: {
    pending: 'pending',
    done: 'succeeded',
    event: 'refund.updated',
    amount: 1000,
    input: { charge_id: PROVIDER_BODIES.stripe.payment, amount: 1000, currency: 'USD' },
  },
};

/** What the provider shows of the refund, in seconds after the start; null: 404. */
export type Shows = (seconds: number) => 'pending' | 'done' | null;

export interface Story {
  readonly contract: CompiledContract;
  readonly shows: Shows;
  /** seconds after the start at which the provider's event says that the refund is done; null: never */
  readonly eventAt: number | null;
  /** whether the service reports the provider's answer at once */
  readonly isReported: boolean;
  readonly untilSeconds: number;
}

export interface Told {
  /** seconds after the start at which the refund was asked for */
  readonly refundReads: readonly number[];
  /** … and the list of the payment's refunds */
  readonly listReads: readonly number[];
  readonly verdicts: readonly VerdictRecord[];
}

/** How long the worker would sleep between two looks at its queue: here until it is told to look. */
const LOOK_MS = 987_654_321;

/** The clock's own timers, but for the worker's sleep, which ends when the test says so. */
class Looks implements Timers {
  readonly #time: TestTime;
  #wake: (() => void) | null = null;

  constructor(time: TestTime) {
    this.#time = time;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms !== LOOK_MS) return this.#time.wait(ms, signal);
    return new Promise((resolve) => {
      this.#wake = resolve;
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async look(): Promise<void> {
    this.#wake?.();
    for (let turn = 0; turn < 4; turn += 1) await settle();
  }
}

const START = Date.parse('2026-09-01T12:00:00Z');
const BASE = { operation_id: 'op-1', account: 'merchant-1' };

class Play {
  readonly #story: Story;
  readonly #provider: ProviderName;
  readonly refundReads: number[] = [];
  readonly listReads: number[] = [];

  constructor(story: Story) {
    this.#story = story;
    this.#provider = story.contract.contract.provider;
  }

  #refund(shown: 'pending' | 'done'): ToldRefund {
    const { pending, done, amount } = PROVIDERS[this.#provider];
    const bodies = PROVIDER_BODIES[this.#provider];
    const status = shown === 'pending' ? pending : done;
    const moved = { status, amount: String(amount), kind: 'REFUND' };
    const { eventAt } = this.#story;
    return {
      id: bodies.refundId('1001'),
      status,
      amount,
      currency: 'USD',
      payment: bodies.payment,
      createdMs: START,
      updatedMs: shown === 'pending' || eventAt === null ? START : START + eventAt * 1000,
      echo: null,
      transactions: [moved],
      otherMoney: null,
      extra: {},
    };
  }

  answer(request: ReadRequest, seconds: number): ReadOutcome {
    (request.reads === 'refund' ? this.refundReads : this.listReads).push(seconds);
    const shown = this.#story.shows(seconds);
    const bodies = PROVIDER_BODIES[this.#provider];
    if (request.reads === 'payment') {
      const list = bodies.list(bodies.payment, shown === null ? [] : [this.#refund(shown)]);
      return { outcome: 'ok', httpStatus: 200, body: printJson(list) };
    }
    if (shown === null) return { outcome: 'absent', httpStatus: 404 };
    return { outcome: 'ok', httpStatus: 200, body: printJson(bodies.read(this.#refund(shown))) };
  }

  get opening(): { readonly topic: 'operation-started'; readonly value: string } {
    const { id, version } = this.#story.contract.ref;
    const result = PROVIDER_BODIES[this.#provider].result(this.#refund('pending'));
    const created_at = new Date(START).toISOString();
    const record = {
      kind: 'operation.started',
      ...BASE,
      provider: this.#provider,
      contract: { id, version },
      created_at,
      input: PROVIDERS[this.#provider].input,
      ...(this.#story.isReported ? { action: { result, completed_at: created_at } } : {}),
    };
    return { topic: 'operation-started', value: printJson(record) };
  }

  event(seconds: number): { readonly topic: 'webhook-received'; readonly value: string } {
    const told = { id: 'event-1', type: PROVIDERS[this.#provider].event, occurredMs: START + seconds * 1000 };
    const { headers, body } = PROVIDER_BODIES[this.#provider].event(told, this.#refund('done'));
    const delivery = { kind: 'webhook.received', provider: this.#provider, account: BASE.account, endpoint: 'default' };
    const received_at = new Date(START + seconds * 1000).toISOString();
    return {
      topic: 'webhook-received',
      value: printJson({ ...delivery, headers, received_at, body: printJson(body) }),
    };
  }
}

/**
 * Plays one refund through the pipeline and a readback worker that looks at its queue at the very instants at which something falls
 * due, so that what it asks, and when, is the contract's clock and nothing else.
 */
export const tellByTheClock = async (story: Story): Promise<Told> => {
  const fixture = new ReadbackFixture();
  const { time } = fixture;
  const play = new Play(story);
  const verdicts: VerdictRecord[] = [];
  const pipeline = await EmbeddedPipeline.open({
    deps: trustingDeps(),
    clock: time,
    journal: null,
    onWarning: () => undefined,
    onVerdict: ({ verdict }) => void verdicts.push(verdict),
    onDeadLetter: ({ code, reason }) => {
      throw new Error(`${code}: ${reason}`);
    },
  });
  const sink: RecordSink = {
    write: (records) => pipeline.append(records.map((record) => ({ ...record, value: record.value.toString('utf8') }))),
    close: async () => undefined,
  };
  const [key, lane] = fixture.lane((request) => play.answer(request, (time.now() - START) / 1000), BASE.account, {
    provider: story.contract.contract.provider,
  });
  const timers = new Looks(time);
  const producer = createReadbackProducer({ sink, source: '/test' });
  const worker = fixture.worker([[key, lane]], { store: pipeline.reads, producer, pollMs: LOOK_MS, timers });

  /** Claims everything and gives it back as it was: the port tells no other way when the next read is due. */
  const nextRead = async (): Promise<number> => {
    const all = await pipeline.reads.claimReads(0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 500);
    for (const one of all) await pipeline.reads.releaseRead(one, one.dueAt);
    return Math.min(Number.POSITIVE_INFINITY, ...all.map(({ dueAt }) => dueAt));
  };

  worker.start();
  await pipeline.append([play.opening]);
  let eventAt = story.eventAt === null ? Number.POSITIVE_INFINITY : START + story.eventAt * 1000;
  for (;;) {
    const evaluation = (await pipeline.nextEvaluation()) ?? Number.POSITIVE_INFINITY;
    const next = Math.min(eventAt, evaluation, await nextRead());
    if (next > START + story.untilSeconds * 1000) break;
    await time.pass(Math.max(0, next - time.now()));
    if (eventAt <= time.now() && story.eventAt !== null) {
      await pipeline.append([play.event(story.eventAt)]);
      eventAt = Number.POSITIVE_INFINITY;
    }
    await pipeline.tick();
    await timers.look();
  }
  await worker.stop(0);
  await pipeline.close();
  if (fixture.fatal.length > 0) throw fixture.fatal[0];
  return { refundReads: play.refundReads, listReads: play.listReads, verdicts };
};
