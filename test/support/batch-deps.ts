import { createAdmission } from '../../src/consumers/admit.ts';
import type { BatchDeps } from '../../src/consumers/batch-deps.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { reducePayment } from '../../src/evaluator/index.ts';

/** The shipped contracts, and a gateway whose word is taken. */
export const trustingDeps = (): BatchDeps => {
  const contracts = loadContracts();
  return {
    contracts,
    reduce: reducePayment,
    admission: createAdmission({ contracts, endpoints: [], testMode: false, trustGateway: true }),
  };
};
