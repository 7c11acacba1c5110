import { type Command, Option } from 'commander';
import { loadEndpoints } from '../config/endpoints.ts';
import { loadHandoff } from '../config/handoff.ts';
import { createAdmission } from '../consumers/admit.ts';
import type { BatchDeps } from '../consumers/batch-deps.ts';
import { loadContracts } from '../contracts/load.ts';
import { createReducer } from '../evaluator/reduce.ts';
import { createHandoffs } from './handoffs.ts';

/** What says how records are admitted and judged; the same for every command that reads logs. */
export interface PipelineOptions {
  readonly config?: string;
  readonly contracts?: string;
  readonly trustGateway?: boolean;
}

/** Adds `--config`, `--contracts` and `--trust-gateway`. */
export const addPipelineOptions = (command: Command): Command =>
  command
    .addOption(new Option('--config <file>', "the endpoints' secrets, for checking webhook signatures (YAML)"))
    .addOption(new Option('--contracts <dir>', 'completion contracts to judge by (default: the shipped ones)'))
    .addOption(new Option('--trust-gateway', 'take the gateway’s word that webhooks are authentic'));

/** Reads contracts and secrets. Throws CONTRACT_INVALID and CONFIG_INVALID. */
export const createBatchDeps = (options: PipelineOptions): BatchDeps => {
  const contracts = loadContracts(options.contracts);
  const trustGateway = options.trustGateway === true;
  const { endpoints, testMode } =
    options.config === undefined
      ? { endpoints: [], testMode: false }
      : loadEndpoints(options.config, process.env, !trustGateway);
  const { proofs, decide } = createHandoffs(loadHandoff(options.config));
  const admission = createAdmission({ contracts, endpoints, testMode, trustGateway, handoffs: proofs });
  return { contracts, reduce: createReducer(decide), admission };
};
