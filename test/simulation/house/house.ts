import { createAdmission } from '../../../src/consumers/admit.ts';
import type { BatchDeps } from '../../../src/consumers/batch-deps.ts';
import { MemoryRateLimiter } from '../../../src/drivers/memory/rate-limiter.ts';
import {
  type ContractSet,
  createReducer,
  type EpochMs,
  type PaymentInput,
  paymentKey,
  type VerdictRecord,
} from '../../../src/evaluator/index.ts';
import type { CommitResult, ShardCommit } from '../../../src/ports/shard-store.ts';
import {
  DEAD_LETTER_TOPIC,
  HANDOFFS_TOPIC,
  INPUT_TOPICS,
  RECEIPTS_TOPIC,
  VERDICTS_TOPIC,
} from '../../../src/records/topics.ts';
import type { Delivered } from '../item.ts';
import { contractsBefore, contractsOf } from '../pipeline.ts';
import type { Random } from '../random.ts';
import { signedEndpoints } from '../signing.ts';
import type { Weather } from '../weather.ts';
import type { World } from '../world.ts';
import { NOTHING_BESIDE } from './beside.ts';
import { Faults } from './faults.ts';
import { type GatewayInstance, startGateway } from './gateway-instance.ts';
import { Desk } from './handoff/desk.ts';
import { drawDesk } from './handoff/desk-plan.ts';
import { DECIDE_HANDOFF, HANDOFF_PROOFS } from './handoff/issuers.ts';
import { SimHandoffIndex } from './handoff/sim-handoff-index.ts';
import { InputRecords } from './input-records.ts';
import type { Instance } from './instance.ts';
import { SimCluster } from './kafka/sim-cluster.ts';
import { type KeyedConsumer, startKeyedConsumer } from './keyed-consumer.ts';
import type { HouseMix, Role } from './mix.ts';
import { Outside } from './outside.ts';
import { startReadback } from './readback-instance.ts';
import { Roles } from './roles.ts';
import { Scheduler } from './scheduler.ts';
import { Sealing } from './sealing.ts';
import type { SimProcess } from './sim-process.ts';
import { SimProviders } from './sim-provider.ts';
import { SimRegistry } from './sim-registry.ts';
import { StateServer } from './sim-shard-store.ts';
import { StepChecks } from './step-checks.ts';
import { Trace } from './trace.ts';
import { TruthLedger } from './truth-ledger.ts';

export interface HouseParts {
  readonly world: World;
  readonly weather: Weather;
  readonly mix: HouseMix;
  readonly random: Random;
  readonly isTraced: boolean;
}

const REDUCE = createReducer(DECIDE_HANDOFF);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Once nothing is wrong any more, all is done within this time of the house's own. */
const SETTLES_WITHIN_MS = 20 * MINUTE_MS;
const LOOKS_EVERY_MS = 250;

/** A whole deployment: brokers, state server, gateways, keyed consumers and readback workers, and the world that sends to it. */
export class House {
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly cluster: SimCluster;
  readonly state: StateServer;
  readonly providers: SimProviders;
  readonly records: InputRecords;
  readonly checks: StepChecks;
  readonly faults: Faults;
  readonly outside: Outside;
  readonly sealing: Sealing;
  readonly registry: SimRegistry;
  readonly desk: Desk;
  /** whether a payment is not the world's */
  readonly isBeside: (paymentKey: string) => boolean;
  readonly #parts: HouseParts;
  readonly #roles: Roles;
  readonly #limiter: MemoryRateLimiter;
  readonly #ledger: TruthLedger;
  readonly #handoffs: SimHandoffIndex;
  readonly #accounts: readonly string[];
  /** what each process has deployed: contracts that come later are not there yet */
  #contracts: ContractSet;
  #workerContracts: ContractSet;
  #isEvaluating = new Map<string, EpochMs>();

  constructor(parts: HouseParts) {
    const { world, weather, mix, random } = parts;
    this.#parts = parts;
    this.scheduler = new Scheduler(world.startsAt - HOUR_MS);
    this.trace = new Trace(parts.isTraced);
    const { scheduler, trace } = this;
    this.#contracts = contractsBefore(weather);
    this.#workerContracts = this.#contracts;
    this.cluster = new SimCluster({
      scheduler,
      random,
      topics: [...INPUT_TOPICS, VERDICTS_TOPIC, RECEIPTS_TOPIC, HANDOFFS_TOPIC, DEAD_LETTER_TOPIC],
      partitions: mix.partitions,
      nodes: mix.brokers,
      latencyMs: mix.kafkaLatencyMs,
    });
    this.#ledger = new TruthLedger(world);
    const admission = this.#depsOf(contractsOf(weather)).admission;
    const beside = mix.beside ?? NOTHING_BESIDE;
    const deskPlan = drawDesk(random.fork('desk plan'), beside.charges, world.startsAt);
    const payments = [...world.payments, ...deskPlan.charges.map(({ payment }) => payment)];
    const besideKeys = new Set(
      deskPlan.charges.map(({ payment: { provider, account, id } }) =>
        paymentKey({ provider, account, paymentId: id }),
      ),
    );
    this.isBeside = (key) => besideKeys.has(key);
    this.#accounts = [...new Set(payments.map(({ provider, account }) => `${provider}:${account}`))];
    this.sealing = new Sealing(beside, world.startsAt);
    this.registry = new SimRegistry(scheduler, random, beside);
    const { registry } = this;
    this.records = new InputRecords({
      cluster: this.cluster,
      ledger: this.#ledger,
      admission,
      partitions: mix.partitions,
      readAvro: registry.readerOf,
      isBeside: this.isBeside,
    });
    this.checks = new StepChecks(this.records, mix.isTransactional, (value) => registry.textOf(value));
    this.state = new StateServer({
      scheduler,
      random,
      clock: { now: () => scheduler.now },
      latencyMs: mix.redisLatencyMs,
      shards: mix.partitions,
      hasReplica: mix.faults.some(({ kind }) => kind === 'redis-failover'),
      observer: {
        claimed: (shard, token, process) => {
          trace.add(scheduler.mono, process.name, `claims shard ${shard}: ${token}`);
          this.faults.claimed(process);
        },
        committed: (commit, result, process) => this.#committed(commit, result, process),
        restored: () => undefined,
      },
    });
    this.#limiter = new MemoryRateLimiter({ now: () => scheduler.now });
    this.providers = new SimProviders({
      scheduler,
      random,
      world: { ...world, payments },
      weather,
      ledger: this.#ledger,
    });
    this.#roles = new Roles(scheduler, trace, (role, process) => this.#start(role, process));
    const { cluster, state } = this;
    this.#handoffs = new SimHandoffIndex(state);
    this.faults = new Faults({
      scheduler,
      random,
      cluster,
      state,
      roles: this.#roles,
      registry: registry.network,
      trace,
    });
    const gatewayChance = random.fork('gateway');
    const gateway = () => this.#roles.pick(gatewayChance, 'gateway')?.instance as GatewayInstance | null;
    this.outside = new Outside({
      scheduler,
      random,
      cluster,
      weather,
      mix,
      ledger: this.#ledger,
      checks: this.checks,
      trace,
      gateway,
    });
    const deskChance = random.fork('desk gateway');
    this.desk = new Desk({
      scheduler,
      random,
      cluster,
      plan: deskPlan,
      encoder: registry.producerEncoder,
      checks: this.checks,
      trace,
      gateway: () => this.#roles.pick(deskChance, 'gateway')?.instance as GatewayInstance | null,
      tell: (item, name) => this.outside.tell(item, name),
      verdictsOf: (operationId) => this.#verdictsOf(operationId),
    });
  }

  /**
   * Opens the house, lets the world happen to it, and ends when the world has and all is done.
   *
   * @param chosen places of the deliveries that are made; null: all
   */
  async run(deliveries: readonly Delivered[], chosen: readonly number[] | null): Promise<void> {
    this.#open(deliveries, chosen === null ? null : new Set(chosen));
    const { scheduler, checks } = this;
    const { endsAt } = this.#parts.world;
    for (let [lookAt, calmAt] = [0, 0]; ; ) {
      if (scheduler.mono >= lookAt) {
        lookAt = scheduler.mono + LOOKS_EVERY_MS;
        const next = await this.#nextConcern();
        if (next !== null) {
          calmAt = scheduler.mono;
          if (scheduler.now >= endsAt) return;
          this.#skipTo(Math.min(next, endsAt));
        } else if (scheduler.mono - Math.max(calmAt, this.faults.wellSince) > SETTLES_WITHIN_MS) {
          checks.breach('not_live', null, `nothing has been wrong for 20 minutes, and still ${await this.#stuck()}`);
          return;
        }
      }
      await scheduler.step();
      for (const log of this.cluster.logs.get(VERDICTS_TOPIC) ?? []) checks.published(log);
      if (checks.breaches.length > 0) return;
    }
  }

  #open(deliveries: readonly Delivered[], chosen: ReadonlySet<number> | null): void {
    const { mix, weather, random, world } = this.#parts;
    const { scheduler } = this;
    for (const [role, count] of [
      ['gateway', mix.gateways],
      ['process', mix.processes],
      ['worker', mix.workers],
    ] as const)
      for (let index = 1; index <= count; index += 1) this.#roles.open(role, `${role}-${index}`);
    for (const [number, delivered] of deliveries.entries())
      if (delivered.at <= world.endsAt && chosen?.has(number) !== false)
        scheduler.at(delivered.at, () => this.outside.deliver(delivered, number));
    const chance = random.fork('poison');
    for (let number = 0; number < mix.poison && deliveries.length > 0; number += 1)
      scheduler.at(chance.pick(deliveries).at, () => this.outside.poison(number));
    this.desk.plan();
    this.faults.plan(mix.faults);
    const from = weather.nextVersionsFrom;
    if (from === null) return;
    scheduler.at(from - 25 * MINUTE_MS, () => {
      this.#contracts = contractsOf(weather);
      void this.faults.roll([...this.#roles.of('process'), ...this.#roles.of('gateway')]);
    });
    // The workers come later: what they do not know yet waits for them.
    scheduler.at(from + 10 * MINUTE_MS, () => {
      this.#workerContracts = contractsOf(weather);
      void this.faults.roll(this.#roles.of('worker'));
    });
  }

  #start(role: Role, process: SimProcess): Instance {
    const { scheduler, cluster, state, providers } = this;
    const { mix, random, weather } = this.#parts;
    const onFatal = (error: unknown): void => this.#died(process, error);
    switch (role) {
      case 'process':
        return startKeyedConsumer({
          scheduler,
          random,
          cluster,
          state,
          mix,
          process,
          batch: this.#watched(process, this.#depsOf(this.#contracts)),
          sealing: this.sealing,
          registry: this.registry,
          charges: this.#handoffs.chargesFor(process),
          hit: (point) => this.faults.hit(process, point),
          onFatal,
        });
      case 'gateway':
        return startGateway({
          scheduler,
          cluster,
          process,
          contracts: this.#contracts,
          endpoints: weather.isSigned ? signedEndpoints() : [],
          encoder: this.registry.producerEncoder,
          handoffs: this.#handoffs.lookupFor(process, mix.partitions),
        });
      case 'worker':
        return startReadback({
          scheduler,
          random,
          cluster,
          state,
          limiter: this.#limiter,
          providers,
          accounts: this.#accounts,
          encoder: this.registry.producerEncoder,
          mix,
          process,
          contracts: this.#workerContracts,
          onFatal,
        });
    }
  }

  #depsOf(contracts: ContractSet): BatchDeps {
    const { isSigned } = this.#parts.weather;
    const endpoints = isSigned ? signedEndpoints() : [];
    const admission = createAdmission({
      contracts,
      endpoints,
      trustGateway: !isSigned,
      testMode: false,
      handoffs: HANDOFF_PROOFS,
    });
    return { contracts, admission, reduce: REDUCE };
  }

  /** Sees at which stream time each record is applied. It counts once a commit has covered it. */
  #watched(process: SimProcess, deps: BatchDeps): BatchDeps {
    return {
      ...deps,
      reduce: (contracts, input: PaymentInput) => {
        for (const [index, { source }] of input.observations.entries())
          this.#isEvaluating.set(
            `${process.name} ${source.topic}/${source.partition}@${source.offset}`,
            input.appliedAt[index] ?? input.now,
          );
        return deps.reduce(contracts, input);
      },
    };
  }

  #committed(commit: ShardCommit, result: CommitResult, process: SimProcess): void {
    const { claim, applied, writes, verdicts, streamTime } = commit;
    const offsets = Object.entries(applied).filter(([topic, offset]) => offset !== (claim.applied[topic] ?? '0'));
    const covered = offsets.map(([topic, offset]) => `${topic} to ${offset}`).join(', ');
    this.trace.add(
      this.scheduler.mono,
      process.name,
      `commits shard ${claim.shard} #${claim.sequence} (${result.outcome}): ${covered || 'time'}, ${writes.length} payments, ${verdicts.length} verdicts`,
    );
    this.checks.committed(this.state, commit, result, process);
    if (result.outcome !== 'committed') return;
    this.records.commit();
    for (const [topic, offset] of offsets)
      for (let from = Number(claim.applied[topic] ?? 0); from < Number(offset); from += 1) {
        const at = this.#isEvaluating.get(`${process.name} ${topic}/${claim.shard}@${from}`) ?? streamTime;
        this.records.applied(topic, claim.shard, String(from), at);
      }
  }

  /** Ids of the verdicts that are published of an operation, in order. */
  #verdictsOf(operationId: string): string[] {
    return (this.cluster.logs.get(VERDICTS_TOPIC) ?? []).flatMap((log) =>
      log.committed().flatMap(({ value }): string[] => {
        const verdict = JSON.parse(this.registry.textOf(value)) as VerdictRecord;
        return verdict.operation_id === operationId ? [verdict.verdict_id] : [];
      }),
    );
  }

  #died(process: SimProcess, error: unknown): void {
    const slot = this.#roles.slotOf(process);
    if (slot === undefined) return;
    const name = error instanceof Error ? error.name : 'unknown';
    // The client gives up on some errors of the broker; its process ends then, and is started again.
    if (name.startsWith('KafkaJS')) this.#roles.crash(slot, 5_000, name);
    else this.checks.breach('process_died', null, `${process.name}: ${error instanceof Error ? error.stack : error}`);
  }

  /** Where nothing is under way: the next instant at which there will be something. Null: there is now. */
  async #nextConcern(): Promise<EpochMs | null> {
    if (this.#obstacle() !== null) return null;
    const { pending, next } = await this.state.outstanding();
    if (pending > 0 || (next !== null && next <= this.scheduler.now)) return null;
    const world = this.scheduler.nextWorldEvent;
    return Math.min(next ?? Number.POSITIVE_INFINITY, world ?? Number.POSITIVE_INFINITY);
  }

  /** Leaves time for everybody to look at the clock before it comes. */
  #skipTo(wall: EpochMs): void {
    const { dueCheckMs, readPollMs } = this.#parts.mix;
    this.scheduler.skip(wall - this.scheduler.now - Math.max(dueCheckMs, readPollMs) - 200);
  }

  /** What is still under way, in words; null: nothing is. */
  #obstacle(): string | null {
    const { cluster, state, outside, providers, faults } = this;
    if (cluster.network.busy + state.network.busy + this.registry.network.busy > 0) return 'requests are under way';
    if (faults.isRunning) return 'something is wrong';
    if (outside.open + this.desk.open > 0) return `${outside.open + this.desk.open} deliveries are not taken`;
    if (providers.busy > 0) return 'a provider is being asked';
    if (cluster.transactions.isBusy) return 'a transaction is open';
    for (const { instance } of this.#roles.slots)
      if (instance?.isBusy() === true) return `${instance.process.name} is busy`;
    return this.#lag();
  }

  #lag(): string | null {
    const running = this.#roles.of('process').flatMap((slot) => (slot.instance as KeyedConsumer).facts());
    for (let shard = 0; shard < this.#parts.mix.partitions; shard += 1) {
      const facts = running.find((one) => one.shard === shard && one.state === 'running');
      if (facts === undefined) return `nobody runs shard ${shard}`;
      const stored = this.state.applied.get(shard) ?? {};
      for (const topic of INPUT_TOPICS) {
        const [position, end] = [facts.positions?.[topic], this.cluster.log(topic, shard).end];
        if (Number(position) !== end) return `${topic}/${shard} is at ${position} of ${end}`;
        if (Number(stored[topic] ?? 0) !== end) return `the state of shard ${shard} lacks records of ${topic}`;
      }
    }
    return null;
  }

  async #stuck(): Promise<string> {
    const { pending, next } = await this.state.outstanding();
    const facts = this.#roles
      .of('process')
      .flatMap((slot) => (slot.instance as KeyedConsumer).facts())
      .map(({ shard, state, trouble }) => `shard ${shard} ${state} ${trouble ?? ''}`);
    return `${this.#lag() ?? this.#obstacle() ?? 'due work is not done'} (${pending} verdicts pending, next due ${next}, ${facts.join(', ')})`;
  }
}
