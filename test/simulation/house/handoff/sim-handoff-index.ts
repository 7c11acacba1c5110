import { createHandoffLookup } from '../../../../src/console/handoff-lookup.ts';
import { createMemoryHandoffIndex } from '../../../../src/drivers/memory/handoff-index.ts';
import type { HandoffLookup } from '../../../../src/ports/handoff-lookup.ts';
import type { OperationIndex } from '../../../../src/ports/operation-index.ts';
import { parseState } from '../../../../src/records/parse-state.ts';
import { partitionOfKey } from '../../../../src/records/partition.ts';
import type { SimProcess } from '../sim-process.ts';
import type { StateServer } from '../sim-shard-store.ts';

/** What the state server tells of charges and plans, over its network. */
export class SimHandoffIndex {
  readonly #server: StateServer;
  readonly #index = createMemoryHandoffIndex();

  constructor(server: StateServer) {
    this.#server = server;
  }

  chargesFor(process: SimProcess): OperationIndex {
    return this.#over(process, this.#index.charges);
  }

  lookupFor(process: SimProcess, partitions: number): HandoffLookup {
    const index = { charges: this.chargesFor(process), handoffs: this.#over(process, this.#index.handoffs) };
    return createHandoffLookup(index, async (key) => {
      const { network, store } = this.#server;
      const shard = partitionOfKey(key, partitions);
      const [value] = await network.request(process, 'state of', () => store.load(shard, [key]));
      return value === null || value === undefined ? null : parseState(key, value);
    });
  }

  #over(process: SimProcess, index: OperationIndex): OperationIndex {
    const { network } = this.#server;
    return {
      add: (id, key) => network.request(process, 'index', () => index.add(id, key)),
      paymentsOf: (id) => network.request(process, 'find', () => index.paymentsOf(id)),
    };
  }
}
