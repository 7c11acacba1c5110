import type { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { Clock } from '../../ports/clock.ts';
import type { AvroReader, SchemaLookup } from '../../ports/schema-lookup.ts';
import { connectRegistry, statusOf } from './registry-client.ts';
import { askRegistry, unavailable } from './registry-http.ts';
import type { RegistrySettings } from './registry-settings.ts';

/** Ids that are remembered as unknown at most: whoever writes random ids must not fill the memory. */
const UNKNOWN_MAX = 10_000;

/** The registry's code for "no such schema"; any other 404 is a wrong URL or a proxy, and says nothing about the id. */
const NO_SUCH_SCHEMA = 40403;

/**
 * The writers' schemas by id, fetched once each. A schema never changes, so what is known is kept; an unknown id is asked
 * again only after a while. However many ask for an id at the same time, the registry gets one question.
 */
export class SchemaCache implements SchemaLookup {
  readonly #settings: RegistrySettings;
  readonly #clock: Clock;
  readonly #registry: SchemaRegistry;
  readonly #readers = new Map<number, AvroReader>();
  /** id → when it may be asked again */
  readonly #unknown = new Map<number, number>();
  readonly #flights = new Map<number, Promise<void>>();

  readonly #unknownMax: number;

  constructor(settings: RegistrySettings, clock: Clock, unknownMax = UNKNOWN_MAX) {
    this.#unknownMax = unknownMax;
    this.#settings = settings;
    this.#clock = clock;
    this.#registry = connectRegistry(settings);
  }

  get(id: number): AvroReader | null | undefined {
    const reader = this.#readers.get(id);
    if (reader !== undefined) return reader;
    const until = this.#unknown.get(id);
    return until !== undefined && this.#clock.now() < until ? null : undefined;
  }

  async load(id: number): Promise<void> {
    if (this.get(id) !== undefined) return;
    let flight = this.#flights.get(id);
    if (flight === undefined) {
      flight = this.#fetch(id).finally(() => this.#flights.delete(id));
      this.#flights.set(id, flight);
    }
    await flight;
  }

  async #fetch(id: number): Promise<void> {
    try {
      this.#readers.set(id, readerOf(await this.#registry.getSchema(id)));
      this.#unknown.delete(id);
    } catch (error) {
      const status = statusOf(error);
      if (status === 404 && (await this.#isUnknown(id))) this.#remember(id);
      else throw unavailable(this.#settings, reasonOf(error, status), error);
    }
  }

  /** The client library drops the registry's error code, so a 404 is asked for once more. */
  async #isUnknown(id: number): Promise<boolean> {
    const answer = await askRegistry(this.#settings, 'GET', `/schemas/ids/${id}`);
    return answer.errorCode === NO_SUCH_SCHEMA;
  }

  #remember(id: number): void {
    const [oldest] = this.#unknown.keys();
    if (this.#unknown.size >= this.#unknownMax && oldest !== undefined) this.#unknown.delete(oldest);
    this.#unknown.delete(id);
    this.#unknown.set(id, this.#clock.now() + this.#settings.unknown_schema_ttl_ms);
  }
}

type FetchedSchema = Awaited<ReturnType<SchemaRegistry['getSchema']>>;

/** Only Avro is read: a JSON Schema or Protobuf id gives a reader that says so for every value. */
const readerOf = (schema: FetchedSchema): AvroReader => {
  if (!('typeName' in schema)) {
    return {
      read: () => {
        throw new TypeError('the schema is not Avro');
      },
    };
  }
  return { read: (bytes) => schema.fromBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) };
};

const reasonOf = (error: unknown, status: number | null): string => {
  if (status === 404) return "it answered 404 for a reason of its own: is the URL's path right?";
  if (status === 401 || status === 403) return `it refused the credentials (HTTP ${status})`;
  return error instanceof Error ? error.message : String(error);
};
