import kafkajs from 'kafkajs';
import type { ProviderName } from '../../../src/evaluator/index.ts';
import { printJson } from '../../../src/records/json-text.ts';
import type { InputTopic } from '../../../src/records/topics.ts';
import { webhookRecord } from '../delivery.ts';
import type { Delivered, Item } from '../item.ts';
import type { Random } from '../random.ts';
import { signatureHeaders } from '../signing.ts';
import type { Weather } from '../weather.ts';
import type { GatewayInstance } from './gateway-instance.ts';
import { simulatedKafka } from './kafka/client.ts';
import type { SimCluster } from './kafka/sim-cluster.ts';
import type { HouseMix } from './mix.ts';
import { Retries } from './retries.ts';
import type { Scheduler } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';
import type { StepChecks } from './step-checks.ts';
import type { Trace } from './trace.ts';
import type { TruthLedger } from './truth-ledger.ts';

export interface OutsideOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly cluster: SimCluster;
  readonly weather: Weather;
  readonly mix: HouseMix;
  readonly ledger: TruthLedger;
  readonly checks: StepChecks;
  readonly trace: Trace;
  /** a gateway that takes connections now; null: none does */
  readonly gateway: () => GatewayInstance | null;
}

const HTTP_MS = 4;

/** A record that is none: what it is, where it goes and the code it must come to. */
const POISON: readonly (readonly [topic: InputTopic, value: (random: Random) => Buffer, code: string])[] = [
  [
    'operation-started',
    (random) => Buffer.from(`{"kind":"operation.started","operation_id":${random.int(1, 1e9)}`),
    'RECORD_MALFORMED',
  ],
  [
    'webhook-received',
    (random) => Buffer.from([0, 0, 0, 0, 9, random.int(0, 255), random.int(0, 255)]),
    'SCHEMA_UNKNOWN',
  ],
  ['readback-result', (random) => Buffer.from(`${random.int(1, 1e9)} is no record`), 'RECORD_MALFORMED'],
  [
    'webhook-received',
    (random) => Buffer.from(`{"kind":"readback.result","nonce":${random.int(1, 1e9)}}`),
    'RECORD_MALFORMED',
  ],
];

/**
 * Everybody who sends to the house: payment services and providers by HTTP, who come again until they are answered, and those
 * who write to the topics themselves and key as they like.
 */
export class Outside {
  readonly #options: OutsideOptions;
  readonly #process = new SimProcess('outside');
  readonly #producer: kafkajs.Producer;
  readonly #random: Random;
  #connected: Promise<void> | null = null;
  readonly #retries: Retries;
  /** what was taken by a gateway or by the log, so that none of it may be missing */
  readonly acknowledged: Item[] = [];
  /** events that are no part of the world */
  readonly #apart = new Set<Item>();

  constructor(options: OutsideOptions) {
    this.#options = options;
    this.#random = options.random.fork('outside');
    this.#retries = new Retries(options.scheduler);
    this.#producer = simulatedKafka(options.cluster, this.#process).producer({
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
  }

  /** deliveries that are not taken yet */
  get open(): number {
    return this.#retries.open;
  }

  deliver({ item }: Delivered, number: number): void {
    const chance = this.#random.fork(`delivery ${number}`);
    const { weather, mix } = this.#options;
    const isEvent = item.about.kind === 'event' || item.about.kind === 'forged';
    const isDirect = isEvent && (!weather.isSigned || chance.chance(mix.strayEvents));
    this.#retries.until(chance, () => (isDirect ? this.#write(chance, item) : this.#post(chance, item)));
  }

  /** An event of a payment that is not the world's. */
  tell(item: Item, name: string): void {
    const chance = this.#random.fork(name);
    this.#apart.add(item);
    this.#retries.until(chance, () =>
      this.#options.weather.isSigned ? this.#post(chance, item) : this.#write(chance, item),
    );
  }

  #taken(item: Item): void {
    if (!this.#apart.has(item)) this.acknowledged.push(item);
  }

  poison(number: number): void {
    const chance = this.#random.fork(`poison ${number}`);
    const [topic, value, code] = chance.pick(POISON);
    const bytes = value(chance);
    this.#options.ledger.poisoned(bytes, code);
    const partition = chance.int(0, this.#options.mix.partitions - 1);
    this.#retries.until(chance, async () => {
      await this.#send(topic, { key: `k${number}`, value: bytes, partition });
      return true;
    });
  }

  async #post(chance: Random, item: Item): Promise<boolean> {
    const { gateway, trace, scheduler, checks } = this.#options;
    const chosen = gateway();
    await this.#retries.pause(HTTP_MS * (0.5 + chance.next()));
    if (chosen === null || chosen.process.state !== 'up') return false;
    const status = await this.#retries.inTime(this.#ask(chosen, item));
    trace.add(scheduler.mono, chosen.process.name, `answers ${item.about.kind} #${item.id} ${status}`);
    if (item.about.kind === 'forged') {
      if (status < 300) checks.breach('forgery_admitted', null, `the gateway took the forged event #${item.id}`);
      return status === 401 || status < 300;
    }
    if (status < 300) {
      this.#taken(item);
      return true;
    }
    if (status < 500 && status !== 429)
      checks.breach('record_refused', null, `the gateway answered ${item.about.kind} #${item.id} ${status}`);
    return status < 500 && status !== 429;
  }

  #ask(gateway: GatewayInstance, item: Item): Promise<number> {
    if (item.about.kind !== 'event' && item.about.kind !== 'forged')
      return gateway.operation(`${item.value['operation_id']}`, item.value);
    const { provider, body, headers } = this.#signed(item);
    return gateway.webhook(provider, headers, body);
  }

  /** Signed anew at each attempt, as providers that put the time into it must. */
  #signed(item: Item) {
    const provider = item.value['provider'] as ProviderName;
    const body = `${item.value['body']}`;
    const { weather, scheduler, ledger } = this.#options;
    const own = item.value['headers'] as Record<string, string>;
    const proof = weather.isSigned ? signatureHeaders(provider, body, scheduler.now, item.about.kind === 'forged') : {};
    const headers = { ...own, ...proof };
    ledger.event(headers, body, item.about);
    return { provider, body, headers };
  }

  /** A gateway of somebody else's: the record is the same, the key and the partition are its own idea. */
  async #write(chance: Random, item: Item): Promise<boolean> {
    const { mix, scheduler, trace } = this.#options;
    const { headers } = this.#signed(item);
    const record = webhookRecord(item.value, headers, scheduler.now);
    const key = chance.pick([null, `random-${chance.int(0, 1e9)}`, `${item.value['provider']}`]);
    const partition = chance.int(0, mix.partitions - 1);
    await this.#send('webhook-received', { key, value: Buffer.from(printJson(record)), partition });
    trace.add(scheduler.mono, 'outside', `wrote ${item.about.kind} #${item.id}`);
    this.#taken(item);
    return true;
  }

  async #send(
    topic: InputTopic,
    message: { readonly key: string | null; readonly value: Buffer; readonly partition: number },
  ): Promise<void> {
    this.#connected ??= this.#producer.connect().catch((error: unknown) => {
      this.#connected = null;
      throw error;
    });
    await this.#connected;
    const timestamp = String(this.#options.scheduler.now);
    await this.#producer.send({ topic, acks: -1, messages: [{ ...message, timestamp }] });
  }
}
