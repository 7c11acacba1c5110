import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playRecords } from '../../src/cli/contracts/play.ts';
import { readCases } from '../../src/contracts/cases/read-case.ts';
import { runCase } from '../../src/contracts/cases.ts';
import { loadContracts, SHIPPED_CONTRACTS } from '../../src/contracts/load.ts';

const contracts = loadContracts();
const { cases, problems } = readCases([SHIPPED_CONTRACTS]);
const providerOf = (contract: string): string => contract.split('.')[0] ?? '';
const providers = [...new Set(cases.map(({ story }) => providerOf(story.contract)))];

describe('the stories', () => {
  it('can all be read', () => {
    expect(problems).toEqual([]);
  });

  it('are told of every provider', () => {
    expect(providers.sort()).toEqual(['paypal', 'shopify', 'square', 'stripe']);
  });

  it('are told of every shipped version', () => {
    const told = new Set(cases.map(({ story }) => story.contract));
    expect(contracts.all.map(({ ref }) => `${ref.id}@${ref.version}`).filter((one) => !told.has(one))).toEqual([]);
  });

  it.each(providers)('of %s are at least twenty-five, and about as many safe as unsafe', (provider) => {
    const told = cases.filter(({ story }) => providerOf(story.contract) === provider);
    const safe = told.filter(({ story }) => story.safe).length;
    expect(told.length).toBeGreaterThanOrEqual(25);
    expect(safe / told.length).toBeGreaterThan(0.4);
    expect(safe / told.length).toBeLessThan(0.6);
  });
});

describe.each(providers)('%s', (provider) => {
  const told = cases.filter(({ story }) => providerOf(story.contract) === provider);
  it.each(told.map((file) => [`${file.story.contract} ${basename(file.file, '.yaml')}: ${file.story.name}`, file]))(
    '%s',
    (_, file) => {
      expect(runCase(file, contracts, playRecords)).toMatchObject({ failures: [], falseSafe: 0, falseBlock: 0 });
    },
  );
});
