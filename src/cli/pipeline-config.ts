import { dirname } from 'node:path';
import { endpointsOf } from '../config/endpoints.ts';
import type { Config } from '../config/schema.ts';
import { createAdmission } from '../consumers/admit.ts';
import type { BatchDeps } from '../consumers/batch-deps.ts';
import { loadContracts } from '../contracts/load.ts';
import { OperatingError } from '../errors.ts';
import { createReducer } from '../evaluator/reduce.ts';
import { createHandoffs } from './handoffs.ts';

/** Contracts and endpoints of a loaded configuration. Throws CONTRACT_INVALID and CONFIG_INVALID. */
export const createConfiguredBatchDeps = (
  config: Config,
  options: { readonly config?: string; readonly contracts?: string; readonly trustGateway?: boolean },
): BatchDeps => {
  const contracts = loadContracts(options.contracts ?? config.contracts);
  const problems: string[] = [];
  const file = options.config ?? process.env['COUNTERSIGN_CONFIG'];
  const endpoints = endpointsOf(config.endpoints, dirname(file ?? '.'), problems);
  if (problems.length > 0) {
    throw new OperatingError(
      'CONFIG_INVALID',
      `The endpoints are not right:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    );
  }
  const trustGateway = options.trustGateway === true;
  const { proofs, decide } = createHandoffs(config.handoff);
  const testMode = config.test_mode;
  const admission = createAdmission({ contracts, endpoints, testMode, trustGateway, handoffs: proofs });
  return { contracts, admission, reduce: createReducer(decide) };
};
