import type { HandoffIndex } from '../../ports/handoff-index.ts';
import type { OperationIndex } from '../../ports/operation-index.ts';

const createIndex = (): OperationIndex => {
  const held = new Map<string, Set<string>>();
  return {
    add: async (id, paymentKey) => {
      const keys = held.get(id) ?? new Set<string>();
      held.set(id, keys.add(paymentKey));
    },
    paymentsOf: async (id) => [...(held.get(id) ?? [])],
  };
};

/** Which payment a charge receipt or a handoff is of, in this process's memory: made anew from the journal at start. */
export const createMemoryHandoffIndex = (): HandoffIndex => ({ charges: createIndex(), handoffs: createIndex() });
