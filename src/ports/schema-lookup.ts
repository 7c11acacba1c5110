/** Decodes the Avro bytes that one registered schema wrote. Throws on bytes that it did not write. */
export interface AvroReader {
  /** `bytes` begins after the wire format's five bytes of header. */
  read(bytes: Uint8Array): unknown;
}

/** The writers' schemas by registry id, as far as they have been fetched. */
export interface SchemaLookup {
  /** The reader; null where the registry does not know the id; undefined where it has not been asked yet. */
  get(id: number): AvroReader | null | undefined;
  /**
   * Asks the registry once, however many ask at the same time. Afterwards `get` answers.
   *
   * @throws OperatingError REGISTRY_UNAVAILABLE (retryable) where it does not answer in time.
   */
  load(id: number): Promise<void>;
}
