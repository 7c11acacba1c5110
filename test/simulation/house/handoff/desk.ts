import { createKafkaRecordSink } from '../../../../src/drivers/kafka/record-sink.ts';
import { type HandoffDecided, type JsonObject, printInstant } from '../../../../src/evaluator/index.ts';
import type { RecordEncoder } from '../../../../src/ports/record-encoder.ts';
import type { RecordSink } from '../../../../src/ports/record-sink.ts';
import type { HandoffAnswer } from '../../../../src/producers/gateway/handoff-intake.ts';
import { outgoingRecord, recordOf } from '../../../../src/producers/outgoing.ts';
import { printJson } from '../../../../src/records/json-text.ts';
import type { HandoffRequested, ReviewDecided } from '../../../../src/records/records.ts';
import { type Item, makeItem } from '../../item.ts';
import { actedRecord, startedRecord, webhooksOf } from '../../providers.ts';
import type { Random } from '../../random.ts';
import { majorUnits, type TrueOperation, type TrueRefund } from '../../world.ts';
import type { GatewayInstance } from '../gateway-instance.ts';
import { simulatedKafka } from '../kafka/client.ts';
import type { SimCluster } from '../kafka/sim-cluster.ts';
import { Retries } from '../retries.ts';
import type { Scheduler } from '../scheduler.ts';
import { SimProcess } from '../sim-process.ts';
import type { StepChecks } from '../step-checks.ts';
import type { Trace } from '../trace.ts';
import {
  type Ask,
  CURRENCY,
  contractOf,
  type DeskPlan,
  keyOfCharge,
  type PlainOperation,
  type Review,
  refundOf,
} from './desk-plan.ts';
import { HANDOFF_PROOFS } from './issuers.ts';

export interface DeskOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly cluster: SimCluster;
  readonly plan: DeskPlan;
  readonly encoder: RecordEncoder;
  readonly checks: StepChecks;
  readonly trace: Trace;
  readonly gateway: () => GatewayInstance | null;
  /** sends a provider's event as the provider does */
  readonly tell: (item: Item, name: string) => void;
  /** ids of the verdicts published of an operation, in order */
  readonly verdictsOf: (operationId: string) => readonly string[];
}

/** An operation that was started on a plan, and how it treats it. */
export interface Start {
  readonly operation: TrueOperation;
  readonly ask: Ask;
  readonly decided: HandoffDecided;
  readonly conduct: Ask['conduct'] | 'second';
}

const HTTP_MS = 4;
const LATE_MS = 1_800_000;
/** Above the numbers of the world's own. */
const EVENTS_FROM = 1_000_000;
const SOURCE = '/countersign/desk';

/** Planners, reviewers, ledgers that send receipts: everybody who comes to the house for a plan or with a decision. */
export class Desk {
  readonly starts: Start[] = [];
  readonly reviews: ReviewDecided[] = [];
  readonly deskPlan: DeskPlan;
  readonly #options: DeskOptions;
  readonly #random: Random;
  readonly #retries: Retries;
  readonly #sink: RecordSink;
  readonly #process = new SimProcess('desk');
  /** handoff id → the digest of its plan */
  readonly #asked = new Map<string, Ask>();
  readonly #plans = new Map<string, string>();
  #events = EVENTS_FROM;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.deskPlan = options.plan;
    this.#random = options.random.fork('desk');
    this.#retries = new Retries(options.scheduler);
    this.#sink = createKafkaRecordSink(simulatedKafka(options.cluster, this.#process), '');
  }

  /** what is not taken yet */
  get open(): number {
    return this.#retries.open;
  }

  /** What was asked under a handoff id: asks that say the same have the same. */
  plannedBy(handoffId: string): Ask | undefined {
    return this.#asked.get(handoffId);
  }

  handoffIdOf(record: HandoffRequested): string {
    return HANDOFF_PROOFS.request(record).handoffId;
  }

  /** Makes the appointments of all that is drawn. */
  plan(): void {
    const { plan, scheduler } = this.#options;
    for (const charge of plan.charges)
      for (const [index, { at, value }] of charge.receipts.entries())
        scheduler.at(at, () => this.#publish(`receipt ${charge.receiptRef} ${index}`, value, keyOfCharge(charge)));
    for (const ask of plan.asks) {
      const id = this.handoffIdOf(recordOf('handoff.requested', this.#whole(ask)));
      if (!this.#asked.has(id)) this.#asked.set(id, ask);
    }
    for (const ask of plan.asks)
      for (const [index, at] of ask.times.entries())
        scheduler.at(at, () => (ask.isDirect ? this.#write(ask, index) : this.#ask(ask, index)));
    for (const refund of plan.dashboard) this.#tell(refund);
    for (const plain of plan.plain) this.#start(plain);
  }

  /** As it stands in the log. */
  #whole(ask: Ask): JsonObject {
    const { provider, account, id } = ask.charge.payment;
    return {
      ...this.#body(ask),
      provider,
      account,
      payment_id: id,
      requested_at: printInstant(this.#options.scheduler.now),
    };
  }

  #body({ charge, minor, counterparty, authority, namesPayment }: Ask): JsonObject {
    const { provider, account, id } = charge.payment;
    return {
      ...(namesPayment ? { provider, account, payment_id: id } : {}),
      charge_ref: charge.receiptRef,
      amount: majorUnits({ minor, currency: CURRENCY }),
      currency: CURRENCY,
      reason: 'returned',
      rail: 'mock',
      counterparty,
      authority: authority.jws,
    };
  }

  #write(ask: Ask, index: number): void {
    const { scheduler } = this.#options;
    this.#publish(`${ask.name} ${index}`, { ...this.#whole(ask), kind: 'handoff.requested' }, `any ${ask.name}`);
    // He looks for the answer as everybody can: by asking the same again.
    scheduler.at(scheduler.now + 120_000, () => this.#ask(ask, index));
  }

  #ask(ask: Ask, index: number): void {
    const chance = this.#random.fork(`${ask.name} ${index}`);
    const { gateway, scheduler, trace } = this.#options;
    let asked = 0;
    this.#retries.until(chance, async () => {
      const chosen = gateway();
      await this.#retries.pause(HTTP_MS * (0.5 + chance.next()));
      if (chosen === null || chosen.process.state !== 'up') return false;
      const answer = await this.#retries.inTime(chosen.plan(this.#body(ask)));
      trace.add(scheduler.mono, chosen.process.name, `answers ${ask.name} ${answer.outcome}`);
      asked += 1;
      if (answer.outcome === 'decided') this.#take(ask, answer.decided);
      // A charge that nobody knows yet may come; a request that waits may be decided.
      return answer.outcome === 'decided' || (answer.outcome === 'unknown' && asked >= 3);
    });
  }

  #take(ask: Ask, decided: Extract<HandoffAnswer, { outcome: 'decided' }>['decided']): void {
    const { handoff_id: id, plan_digest: digest } = decided;
    if (digest === null) return;
    const known = this.#plans.get(id);
    if (known !== undefined) {
      if (known !== digest) this.#options.checks.breach('plan_changed', id, `plan ${known} became ${digest}`);
      return;
    }
    this.#plans.set(id, digest);
    this.#conduct(ask, decided);
  }

  #conduct(ask: Ask, decided: HandoffDecided): void {
    const { scheduler } = this.#options;
    if (ask.conduct === 'never') return;
    const chance = this.#random.fork(`conduct ${decided.handoff_id}`);
    const begin = (conduct: Start['conduct']): void => {
      const start = this.#startOf(ask, decided, conduct);
      this.starts.push(start);
      this.#carryOut(start, decided, chance);
    };
    scheduler.at(scheduler.now + (ask.conduct === 'late' ? LATE_MS : chance.int(100, 20_000)), () =>
      begin(ask.conduct),
    );
    if (ask.conduct === 'twice') scheduler.at(scheduler.now + 60_000, () => begin('second'));
  }

  #startOf(ask: Ask, decided: HandoffDecided, conduct: Start['conduct']): Start {
    const minor = conduct === 'amount' ? ask.minor + 100n : ask.minor;
    const { payment } = ask.charge;
    const operation: TrueOperation = {
      id: conduct === 'second' ? `${decided.handoff_id}-2` : decided.handoff_id,
      payment,
      contract: contractOf(payment),
      version: null,
      createdAt: this.#options.scheduler.now,
      money: { minor, currency: CURRENCY },
      intentRef: null,
      customId: null,
      answers: [],
      retryOf: null,
      story: conduct,
    };
    return { operation, ask, decided, conduct };
  }

  /** Starts the operation as the plan says, but for what it does otherwise, and refunds. */
  #carryOut({ operation, conduct, decided }: Start, { plan }: HandoffDecided, chance: Random): void {
    const planned = (decided.operation ?? {}) as JsonObject;
    const usual = startedRecord(operation);
    const record = {
      ...planned,
      operation_id: operation.id,
      created_at: printInstant(operation.createdAt),
      idempotency_key: conduct === 'key' ? 'a key of his own' : (plan?.idempotency_key ?? ''),
      input: conduct === 'amount' ? (usual['input'] ?? {}) : (planned['input'] ?? {}),
    };
    this.#operation(operation.id, record);
    // The provider knows the plan's key again: a second call makes no second refund.
    if (conduct !== 'second') this.#refund(operation, chance);
  }

  #refund(operation: TrueOperation, chance: Random): void {
    const { scheduler } = this.#options;
    const at = scheduler.now + chance.int(300, 3_000);
    const refund = refundOf(chance, operation.payment, operation.money.minor, at, operation.id);
    operation.payment.refunds.push(refund);
    this.#tell(refund);
    const answer = { at: at + 200, refund, error: null };
    operation.answers.push(answer);
    scheduler.at(answer.at, () => this.#operation(operation.id, actedRecord(operation, answer)));
  }

  #start({ operation, reviews }: PlainOperation): void {
    const { scheduler } = this.#options;
    scheduler.at(operation.createdAt, () => this.#operation(operation.id, startedRecord(operation)));
    for (const [index, review] of reviews.entries())
      scheduler.at(operation.createdAt + review.afterMs, () => this.#review(operation, review, index));
  }

  #review({ id, payment }: TrueOperation, review: Review, index: number): void {
    const known = this.#options.verdictsOf(id);
    const [first] = known;
    if (first === undefined) return;
    const answers = {
      first,
      last: known.at(-1) ?? first,
      unpublished: first.replace(/\d+$/, '99'),
      other: `${first.slice(0, first.lastIndexOf('/'))}/another:1`,
    }[review.answers];
    const value = {
      kind: 'review.decided',
      operation_id: id,
      provider: payment.provider,
      account: payment.account,
      payment_id: payment.id,
      answers,
      decision: review.decision,
      reason: 'looked it up at the provider',
      reviewer: `reviewer-${index + 1}`,
      decided_at: printInstant(this.#options.scheduler.now),
    };
    this.reviews.push(recordOf('review.decided', value));
    for (let copy = 0; copy < (review.isDoubled ? 2 : 1); copy += 1)
      this.#publish(`review ${id} ${index} ${copy}`, value, `${payment.provider}:${payment.account}:${payment.id}`);
  }

  #operation(id: string, record: JsonObject): void {
    const chance = this.#random.fork(`${record['kind']} ${id}`);
    const { gateway, checks } = this.#options;
    this.#retries.until(chance, async () => {
      const chosen = gateway();
      await this.#retries.pause(HTTP_MS * (0.5 + chance.next()));
      if (chosen === null || chosen.process.state !== 'up') return false;
      const status = await this.#retries.inTime(chosen.operation(id, record));
      if (status >= 300 && status < 500 && status !== 429)
        checks.breach('record_refused', id, `the gateway answered ${record['kind']} ${status}`);
      return status < 500 && status !== 429;
    });
  }

  #tell(refund: TrueRefund): void {
    const { scheduler, tell } = this.#options;
    for (const { provider, account, body, headers, at, fact } of webhooksOf(refund)) {
      const received_at = printInstant(at + 500);
      const value = {
        kind: 'webhook.received',
        provider,
        account,
        endpoint: 'default',
        headers,
        body: printJson(body),
        received_at,
      };
      this.#events += 1;
      const item = makeItem(
        this.#events,
        { kind: 'event', facts: fact === null ? [] : [fact] },
        'webhook-received',
        value,
      );
      scheduler.at(at + 500, () => tell(item, `desk event ${item.id}`));
    }
  }

  /** Writes a record to its topic, until the log has it: twice perhaps. */
  #publish(name: string, value: JsonObject, key: string): void {
    const record = recordOf(value['kind'] as 'charge.receipt', value);
    const { outgoing } = outgoingRecord({ source: SOURCE, encoder: this.#options.encoder }, record, key, {});
    this.#retries.until(this.#random.fork(name), async () => {
      await this.#sink.write([outgoing]);
      return true;
    });
  }
}
