import { type CompiledContract, type ContractSet, compileContract } from '../evaluator/compile.ts';
import type { Contract, ProviderName } from '../evaluator/contract.ts';
import { instantMs } from '../evaluator/instant.ts';
import { contractRef } from './hash.ts';

/** Orders versions of three numbers; negative when `a` is older. */
export const compareVersions = (a: string, b: string): number => {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let index = 0; index < 3; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

interface Entry {
  readonly compiled: CompiledContract;
  readonly effectiveFromMs: number;
}

/**
 * The contracts a process runs with. An operation that names no version gets the highest version that is in effect at its
 * created_at; a contract without `effective_from` always is. Throws a TypeError where two contracts share id and version.
 */
export const createContractSet = (contracts: readonly Contract[]): ContractSet => {
  const byId = new Map<string, Entry[]>();
  const byProvider = new Map<ProviderName, CompiledContract[]>();
  for (const contract of contracts) {
    const compiled = compileContract(contract, contractRef(contract));
    const { effective_from: effectiveFrom } = contract;
    const effectiveFromMs = effectiveFrom === undefined ? null : instantMs(effectiveFrom);
    const entry = { compiled, effectiveFromMs: effectiveFromMs ?? Number.NEGATIVE_INFINITY };
    const versions = byId.get(contract.contract.id) ?? [];
    if (versions.some((other) => other.compiled.ref.version === compiled.ref.version))
      throw new TypeError(`contract ${contract.contract.id} ${contract.contract.version} is there twice`);
    versions.push(entry);
    byId.set(contract.contract.id, versions);
    byProvider.set(contract.provider, [...(byProvider.get(contract.provider) ?? []), compiled]);
  }
  for (const versions of byId.values())
    versions.sort((a, b) => compareVersions(b.compiled.ref.version, a.compiled.ref.version));

  const find = (id: string, version: string): CompiledContract | null =>
    byId.get(id)?.find((entry) => entry.compiled.ref.version === version)?.compiled ?? null;
  return {
    all: [...byId.values()].flatMap((versions) => versions.map((entry) => entry.compiled)),
    find,
    resolve: (id, version, createdAtMs) =>
      version === null
        ? (byId.get(id)?.find((entry) => entry.effectiveFromMs <= createdAtMs)?.compiled ?? null)
        : find(id, version),
    ofProvider: (provider) => byProvider.get(provider) ?? [],
  };
};
