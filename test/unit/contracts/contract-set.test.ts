import { describe, expect, it } from 'vitest';
import { compareVersions, createContractSet } from '../../../src/contracts/contract-set.ts';
import { contractHash, contractRef } from '../../../src/contracts/hash.ts';
import { loadContracts } from '../../../src/contracts/load.ts';
import type { Contract } from '../../../src/evaluator/contract.ts';

const shipped = loadContracts();
const base = shipped.find('paypal.refund.completed', '1.0.0')?.contract as Contract;

const version = (name: string, effectiveFrom?: string): Contract => ({
  ...base,
  contract: { id: base.contract.id, version: name },
  ...(effectiveFrom === undefined ? {} : { effective_from: effectiveFrom }),
});

describe('the contract set', () => {
  it('orders versions by number, not by text', () => {
    expect(['1.9.0', '1.10.0', '1.2.10', '2.0.0'].sort(compareVersions)).toEqual([
      '1.2.10',
      '1.9.0',
      '1.10.0',
      '2.0.0',
    ]);
  });

  it('takes the highest version where none is named and all are always in effect', () => {
    expect(shipped.resolve(base.contract.id, null, Date.parse('2020-01-01'))?.ref.version).toBe('1.1.0');
  });

  it('takes the newest version in effect at created_at', () => {
    const set = createContractSet([
      version('1.0.0'),
      version('1.1.0', '2026-09-01T00:00:00Z'),
      version('2.0.0', '2026-10-01T00:00:00Z'),
    ]);
    const at = (text: string) => set.resolve(base.contract.id, null, Date.parse(text))?.ref.version;
    expect(at('2026-08-31T23:59:59.999Z')).toBe('1.0.0');
    expect(at('2026-09-01T00:00:00Z')).toBe('1.1.0');
    expect(at('2026-10-02T00:00:00Z')).toBe('2.0.0');
  });

  it('finds nothing where no version is in effect yet, and gives a named version all the same', () => {
    const set = createContractSet([version('1.0.0', '2026-09-01T00:00:00Z')]);
    expect(set.resolve(base.contract.id, null, Date.parse('2026-08-01'))).toBeNull();
    expect(set.resolve(base.contract.id, '1.0.0', Date.parse('2026-08-01'))?.ref.version).toBe('1.0.0');
    expect(set.resolve(base.contract.id, '9.0.0', 0)).toBeNull();
    expect(set.resolve('no.such', null, 0)).toBeNull();
  });

  it('gives the contracts of a provider', () => {
    expect(shipped.ofProvider('shopify').map(({ ref }) => ref.id)).toEqual(
      expect.arrayContaining(['shopify.refund.created', 'shopify.refund.financially_completed']),
    );
    expect(createContractSet([]).ofProvider('stripe')).toEqual([]);
  });

  it('refuses one version twice', () => {
    expect(() => createContractSet([base, base])).toThrow(/is there twice/);
  });
});

describe('the contract hash', () => {
  it('does not depend on the order of keys', () => {
    const turned = Object.fromEntries(Object.entries(base).reverse()) as unknown as Contract;
    expect(contractHash(turned)).toBe(contractHash(base));
  });

  it('changes with any word, published_hash included', () => {
    expect(contractHash({ ...base, intent: `${base.intent} ` })).not.toBe(contractHash(base));
    expect(contractHash({ ...base, published_hash: '0123456789abcdef' })).not.toBe(contractHash(base));
  });

  it('is SHA-256 over canonical JSON, of which verdicts show 16 digits', () => {
    const tiny = { b: 1, a: 'é' } as unknown as Contract;
    expect(contractHash(tiny)).toBe('aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e');
    expect(contractRef(base).hash).toBe(contractHash(base).slice(0, 16));
  });
});
