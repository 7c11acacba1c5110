import { loadContracts, SHIPPED_CONTRACTS } from '../../src/contracts/load.ts';
import type { ContractSet } from '../../src/evaluator/index.ts';

/** The contracts that come with Countersign, loaded once a test file. */
export const shipped: ContractSet = loadContracts(SHIPPED_CONTRACTS);
