import avro from 'avsc';
import { createAvroEncoder } from '../../../src/drivers/kafka/avro-encoder.ts';
import type { SchemaIds } from '../../../src/drivers/kafka/registry.ts';
import { OperatingError } from '../../../src/errors.ts';
import { jsonEncoder, type RecordEncoder } from '../../../src/ports/record-encoder.ts';
import type { AvroReader, SchemaLookup } from '../../../src/ports/schema-lookup.ts';
import { avroSchemaText, RECORD_KINDS } from '../../../src/records/avro-schemas.ts';
import { decodeValue, printJson, schemaIdOf } from '../../../src/records/index.ts';
import type { Random } from '../random.ts';
import type { Beside } from './beside.ts';
import { calmConditions, Network } from './network.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';

const LATENCY_MS = 3;
const FIRST_ID = 101;

const IDS = Object.fromEntries(RECORD_KINDS.map((kind, index) => [kind, FIRST_ID + index])) as SchemaIds;

const READERS: ReadonlyMap<number, AvroReader> = new Map(
  RECORD_KINDS.map((kind) => {
    const type = avro.Type.forSchema(JSON.parse(avroSchemaText(kind)) as avro.Schema);
    return [IDS[kind], { read: (bytes) => type.fromBuffer(Buffer.from(bytes)) }];
  }),
);

const ENCODER = createAvroEncoder(IDS);

const unavailable = (doing: string): OperatingError =>
  new OperatingError('REGISTRY_UNAVAILABLE', `${doing}: the registry does not answer`);

/** The schema registry: it knows our schemas, answers over a network, and is away for a while. */
export class SimRegistry {
  readonly network: Network;
  readonly #avro: Beside['avro'];

  constructor(scheduler: Scheduler, random: Random, { avro: written }: Beside) {
    this.network = new Network(scheduler, random.fork('registry network'), calmConditions(LATENCY_MS), unavailable);
    this.#avro = written;
  }

  /** What a process knows of the writers' schemas; null where no registry is configured. */
  lookupOf(process: SimProcess): SchemaLookup | null {
    if (this.#avro === 'none') return null;
    const known = new Map<number, AvroReader | null>();
    return {
      get: (id) => known.get(id),
      load: async (id) => {
        if (known.has(id)) return;
        known.set(id, await this.network.request(process, 'schema', () => READERS.get(id) ?? null));
      },
    };
  }

  /** What the consumer writes with. It asks for the ids when it first has something to write, and again until it is answered. */
  encoderOf(process: SimProcess): () => Promise<RecordEncoder> {
    if (this.#avro === 'none') return async () => jsonEncoder;
    let encoder: RecordEncoder | null = null;
    return async () => {
      encoder ??= await this.network.request(process, 'ids', () => ENCODER);
      return encoder;
    };
  }

  /** What gateways and workers write with; they have registered their schemas before they start. */
  get producerEncoder(): RecordEncoder {
    return this.#avro === 'all' ? ENCODER : jsonEncoder;
  }

  /** The truth about an id. */
  readonly readerOf = (id: number): AvroReader | null => (this.#avro === 'none' ? null : (READERS.get(id) ?? null));

  /** What a published record says, as JSON, however it was written. */
  textOf(value: Buffer | null): string {
    if (value === null || schemaIdOf(value) === null) return value?.toString('utf8') ?? '{}';
    const decoded = decodeValue(value, this.readerOf);
    if (!decoded.ok) throw new TypeError(`a published record cannot be read: ${decoded.reason}`);
    return printJson(decoded.value);
  }
}
