import type { ProviderReader, ReadContext, ReadOutcome, ReadRequest } from '../../ports/provider-reader.ts';

/** A provider in memory: answers as it is told to. What a simulated run reads from. */
export class MemoryProviderReader implements ProviderReader {
  readonly #answer: (request: ReadRequest, context: ReadContext) => ReadOutcome | Promise<ReadOutcome>;

  constructor(answer: (request: ReadRequest, context: ReadContext) => ReadOutcome | Promise<ReadOutcome>) {
    this.#answer = answer;
  }

  async read(request: ReadRequest, context: ReadContext): Promise<ReadOutcome> {
    return this.#answer(request, context);
  }

  async close(): Promise<void> {}
}
