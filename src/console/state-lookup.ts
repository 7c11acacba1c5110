import type { ContractSet, EpochMs, OperationState, PaymentState, VerdictRecord } from '../evaluator/index.ts';
import { paymentKey } from '../evaluator/index.ts';
import type { FoundOperation, KnownStart, OperationLookup } from '../ports/operation-lookup.ts';
import { verdictKey } from '../records/index.ts';
import { operationJson } from './operation-json.ts';
import { timelineOfState } from './state-timeline.ts';

export interface StateLookupOptions {
  readonly contracts: ContractSet;
  /** the time as of which operations are told */
  readonly now: () => EpochMs;
  /** the state of a payment; null: none is held */
  readonly stateOf: (paymentKey: string) => Promise<PaymentState | null>;
  /** an operation's revisions in full, oldest first, where they are at hand */
  readonly revisionsOf?: (key: string) => readonly VerdictRecord[];
  /** the payments that are noted to have an operation of this id */
  readonly paymentsOf?: (operationId: string) => Promise<readonly string[]>;
  /** the states that may hold an operation of this id, where nothing says of which payment it is */
  readonly statesWith: (operationId: string) => AsyncIterable<PaymentState>;
}

const SPLITS_MAX = 32;
const FOUND_MAX = 20;

const knownStart = ({ start }: OperationState): KnownStart | null =>
  start === null
    ? null
    : {
        contract: start.contract,
        input: start.input,
        idempotencyKey: start.idempotencyKey,
        handoff: start.handoff,
        createdAt: start.createdAt,
      };

/** Every way to read `<payment key>/<operation id>`: both may hold slashes, so the state says which one is meant. */
const splitsOf = (named: string): { readonly ofPayment: string; readonly operationId: string }[] => {
  const splits: { readonly ofPayment: string; readonly operationId: string }[] = [];
  for (let at = named.lastIndexOf('/'); at > 0 && splits.length < SPLITS_MAX; at = named.lastIndexOf('/', at - 1))
    splits.push({ ofPayment: named.slice(0, at), operationId: named.slice(at + 1) });
  return splits;
};

/** Reads operations out of payment states. */
export const createStateLookup = (options: StateLookupOptions): OperationLookup => {
  const { contracts, now, stateOf, statesWith } = options;

  const foundIn = (state: PaymentState, operationId: string): FoundOperation | null => {
    if (!Object.hasOwn(state.operations, operationId)) return null;
    const key = verdictKey(paymentKey(state), operationId);
    const timeline = timelineOfState(contracts, state, operationId, now(), options.revisionsOf?.(key));
    if (timeline === null) return null;
    const { provider, account, paymentId } = state;
    return { key, operationId, provider, account, paymentId, view: operationJson(key, timeline) };
  };

  const at = async (ofPayment: string, operationId: string): Promise<FoundOperation | null> => {
    const state = await stateOf(ofPayment);
    return state === null ? null : foundIn(state, operationId);
  };

  return {
    start: async (ofPayment, operationId) => {
      const state = await stateOf(ofPayment);
      const operation =
        state !== null && Object.hasOwn(state.operations, operationId) ? state.operations[operationId] : undefined;
      return operation === undefined ? null : knownStart(operation);
    },
    find: async (named, ofPayment) => {
      if (ofPayment !== null) {
        const found = await at(ofPayment, named);
        return found === null ? [] : [found];
      }
      for (const split of splitsOf(named)) {
        const found = await at(split.ofPayment, split.operationId);
        if (found !== null) return [found];
      }
      const all: FoundOperation[] = [];
      for (const noted of (await options.paymentsOf?.(named)) ?? []) {
        const found = await at(noted, named);
        if (found !== null) all.push(found);
      }
      if (all.length > 0) return all;
      for await (const state of statesWith(named)) {
        const found = foundIn(state, named);
        if (found !== null && !all.some(({ key }) => key === found.key)) all.push(found);
        if (all.length >= FOUND_MAX) break;
      }
      return all;
    },
  };
};
