import { LRUCache } from 'lru-cache';
import { OperatingError } from '../../errors.ts';
import {
  type ContractSet,
  instantMs,
  isJsonObject,
  type JsonObject,
  paymentKey,
  printInstant,
} from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OperationIndex } from '../../ports/operation-index.ts';
import type { KnownStart, OperationLookup } from '../../ports/operation-lookup.ts';
import { type OperationActed, type OperationStarted, verdictKey } from '../../records/index.ts';
import { keyOfStart } from '../operation-intent.ts';
import type { ActedFields, OperationProducer, StartedFields } from '../operation-producer.ts';
import { recordOf } from '../outgoing.ts';
import { type ApiClient, mayTouch } from './api-key.ts';
import { differingFields, startOf } from './same-start.ts';

export interface OperationIntakeOptions {
  readonly producer: OperationProducer;
  readonly contracts: ContractSet;
  /** null: nothing is known but what came in here */
  readonly lookup: OperationLookup | null;
  /** told of each operation that is taken, as far as it can be reached */
  readonly index?: Pick<OperationIndex, 'add'> | undefined;
  readonly clock: Clock;
  /** how far created_at may lie ahead, milliseconds */
  readonly createdAheadMaxMs: number;
  /** operations that are remembered; 100,000 unless given */
  readonly recentMax?: number;
}

/** The answer to an operation that was taken. */
export interface TakenOperation {
  readonly operation_id: string;
  readonly payment_key: string;
  /** `<payment key>/<operation id>`: under which the operation can be asked for */
  readonly key: string;
  readonly created_at: string;
}

/** Why an operation was not taken, where no error code of ours says it. */
export class IntakeRefused extends Error {
  override readonly name = 'IntakeRefused';
  readonly status: 403 | 404 | 409;
  readonly field: string | null;
  readonly code: string | null;

  constructor(status: 403 | 404 | 409, message: string, field: string | null, code: string | null = null) {
    super(message);
    this.status = status;
    this.field = field;
    this.code = code;
  }
}

interface Recent {
  readonly start: KnownStart;
  readonly record: OperationStarted;
  readonly taken: TakenOperation;
  readonly published: Promise<unknown>;
}

const RECENT_MAX = 100_000;

const mismatch = (field: string, was: string, shouldBe: string): OperatingError =>
  new OperatingError('RECORD_MALFORMED', `${field} was ${JSON.stringify(was)}, should be ${shouldBe}`, {
    context: { field },
  });

/** Takes operations from services that speak HTTP, as the typed producer takes them from those that speak Kafka. */
export class OperationIntake {
  readonly #options: OperationIntakeOptions;
  readonly #recent: LRUCache<string, Recent>;
  /** operation id → the keys it came in under */
  readonly #byId: LRUCache<string, ReadonlySet<string>>;

  constructor(options: OperationIntakeOptions) {
    this.#options = options;
    const max = options.recentMax ?? RECENT_MAX;
    this.#recent = new LRUCache({ max });
    this.#byId = new LRUCache({ max });
  }

  /**
   * Publishes a start, once: the same again gets the same answer. Throws what the producer throws (the field in `context.field`),
   * CREATED_AT_IN_FUTURE, and {@link IntakeRefused} 403 and 409.
   */
  async start(client: ApiClient, body: JsonObject): Promise<TakenOperation> {
    const { contracts, clock } = this.#options;
    const now = clock.now();
    const record = recordOf('operation.started', { created_at: printInstant(now), ...this.#completed(body) });
    this.#checkAccount(client, record);
    this.#checkNotInFuture(record, now);
    const ofPayment = keyOfStart(contracts, record);
    const key = verdictKey(ofPayment, record.operation_id);
    const start = startOf(record);

    const known = await this.#knownStart(key, ofPayment, record.operation_id);
    // Looked at again: another request may have come in while the state was asked.
    const recent = this.#recent.get(key);
    const first = recent?.start ?? known;
    if (first !== null) this.#refuseConflict(record, differingFields(first, start));
    if (recent !== undefined && (record.action ?? null) === null) {
      await recent.published;
      return recent.taken;
    }
    const taken: TakenOperation = recent?.taken ?? {
      operation_id: record.operation_id,
      payment_key: ofPayment,
      key,
      created_at: first?.createdAt ?? record.created_at,
    };
    const published =
      known !== null && (record.action ?? null) === null
        ? Promise.resolve()
        : this.#options.producer.started({ ...record, created_at: taken.created_at } as unknown as StartedFields);
    this.#remember({ start: first ?? start, record, taken, published });
    try {
      await published;
    } catch (error) {
      // Not kept: the next one tries afresh.
      if (this.#recent.get(key)?.published === published) this.#recent.delete(key);
      throw error;
    }
    // A help for later, not a part of the answer: it is not waited for.
    this.#options.index?.add(taken.operation_id, taken.payment_key).catch(() => undefined);
    return taken;
  }

  /**
   * Publishes what a refund call came to. Every answer is evidence: a second one is never refused, since a second refund id is
   * just what has to be noticed. Where the payment is left out, the operation must be known.
   */
  async act(client: ApiClient, named: string, body: JsonObject): Promise<{ readonly key: string }> {
    const about = await this.#about(named, body);
    const fields = { ...this.#completed(body), ...about, kind: 'operation.acted' };
    const record: OperationActed = recordOf('operation.acted', fields);
    this.#checkAccount(client, record);
    await this.#options.producer.acted(record as unknown as ActedFields);
    const { provider, account, payment_id: paymentId, operation_id: operationId } = record;
    return { key: verdictKey(paymentKey({ provider, account, paymentId }), operationId) };
  }

  /** What came in here and is perhaps not applied yet. */
  recent(named: string): readonly TakenOperation[] {
    const keys = this.#recent.has(named) ? [named] : [...(this.#byId.get(named) ?? [])];
    return keys.flatMap((key) => this.#recent.get(key)?.taken ?? []);
  }

  /** Whose account a recent operation is of. */
  accountOf(key: string): { readonly provider: string; readonly account: string } | null {
    return this.#recent.get(key)?.record ?? null;
  }

  /** An action that does not say when it was completed was completed just now. */
  #completed(body: JsonObject): JsonObject {
    const { action = null } = body;
    if (!isJsonObject(action) || Object.hasOwn(action, 'completed_at')) return body;
    return { ...body, action: { ...action, completed_at: printInstant(this.#options.clock.now()) } };
  }

  async #knownStart(key: string, ofPayment: string, operationId: string): Promise<KnownStart | null> {
    if (this.#recent.has(key)) return null;
    try {
      return (await this.#options.lookup?.start(ofPayment, operationId)) ?? null;
    } catch (error) {
      // A start must not wait for the state store: the consumer tells a conflict as well, later.
      if (error instanceof OperatingError && error.retryable) return null;
      throw error;
    }
  }

  /** The operation that a path means, with what the body says of its payment. */
  async #about(named: string, body: JsonObject): Promise<JsonObject> {
    const given = body['operation_id'];
    const hasPayment = ['provider', 'account', 'payment_id'].every((field) => typeof body[field] === 'string');
    if (hasPayment) {
      const [provider, account, paymentId] = ['provider', 'account', 'payment_id'].map((field) => `${body[field]}`);
      const prefix = `${provider}:${account}:${paymentId}/`;
      const operationId = named.startsWith(prefix) ? named.slice(prefix.length) : named;
      if (typeof given === 'string' && given !== operationId)
        throw mismatch('operation_id', given, `${JSON.stringify(operationId)}, which the path names`);
      return { operation_id: operationId };
    }
    const known = await this.#knownAs(named);
    const [only, another] = known;
    if (only === undefined)
      throw new IntakeRefused(404, `no operation ${named} is known; give provider, account and payment_id`, null);
    if (another !== undefined)
      throw new IntakeRefused(409, `${named} is an operation of several payments; give the payment's`, 'payment_id');
    for (const [field, value] of Object.entries(only)) {
      const was = body[field];
      if (typeof was === 'string' && was !== value) throw mismatch(field, was, JSON.stringify(value));
    }
    return only;
  }

  async #knownAs(named: string): Promise<JsonObject[]> {
    const recent = this.recent(named).flatMap(({ key, payment_key: ofPayment, operation_id: id }) => {
      const record = this.#recent.get(key)?.record;
      if (record === undefined) return [];
      const { provider, account } = record;
      const paymentId = ofPayment.slice(`${provider}:${account}:`.length);
      return [{ operation_id: id as string, provider, account: account as string, payment_id: paymentId }];
    });
    if (recent.length > 0 || this.#options.lookup === null) return recent;
    const found = await this.#options.lookup.find(named, null);
    return found.map(({ operationId, provider, account, paymentId }) => ({
      operation_id: operationId,
      provider,
      account,
      payment_id: paymentId,
    }));
  }

  #remember(recent: Recent): void {
    const { key, operation_id: id } = recent.taken;
    this.#recent.set(key, recent);
    this.#byId.set(id, new Set([...(this.#byId.get(id) ?? []), key]));
  }

  #checkAccount(client: ApiClient, { provider, account }: OperationStarted | OperationActed): void {
    if (mayTouch(client, provider, account)) return;
    throw new IntakeRefused(403, `the key ${client.id} may not speak of ${provider}:${account}`, 'account');
  }

  /** created_at, and observe_from where it is given, which the deadline counts from. */
  #checkNotInFuture(record: OperationStarted, now: number): void {
    const { createdAheadMaxMs } = this.#options;
    for (const field of ['created_at', 'observe_from'] as const) {
      const text = record[field];
      const aheadMs = text == null ? 0 : (instantMs(text) ?? now) - now;
      if (aheadMs <= createdAheadMaxMs) continue;
      const reason = `${field} was ${text}, ${Math.round(aheadMs / 1000)} s ahead, should be at most ${createdAheadMaxMs / 1000} s`;
      throw new OperatingError('CREATED_AT_IN_FUTURE', reason, { context: { field } });
    }
  }

  #refuseConflict({ operation_id: id }: OperationStarted, fields: readonly string[]): void {
    const [field] = fields;
    if (field === undefined) return;
    const reason = `operation ${id} was started before with another ${fields.join(', ')}; the first stands`;
    throw new IntakeRefused(409, reason, field, 'OPERATION_CONFLICT');
  }
}
