import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadContracts, readContracts, SHIPPED_CONTRACTS } from '../../../src/contracts/load.ts';
import { printProblem } from '../../../src/contracts/problem.ts';
import { readContract } from '../../../src/contracts/read-contract.ts';
import { OperatingError } from '../../../src/errors.ts';

const PAYPAL = readFileSync(join(SHIPPED_CONTRACTS, 'paypal.refund.completed/1.0.0.yaml'), 'utf8');

const problems = (source: string): string[] => {
  const read = readContract(source, 'x.yaml');
  return read.ok ? [] : read.problems.map(printProblem);
};

const lineOf = (source: string, text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1;

const root = mkdtempSync(join(tmpdir(), 'countersign-contracts-'));
afterAll(() => rmSync(root, { recursive: true }));

const folder = (files: Record<string, string>): string => {
  const path = mkdtempSync(join(root, 'contracts-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
};

describe('reading a contract file', () => {
  it('names file, line and field, what it was and what it should be', () => {
    const source = PAYPAL.replace('operator: time_after', 'operator: later_than');
    const line = lineOf(source, 'later_than');
    expect(problems(source)).toEqual([
      expect.stringMatching(
        new RegExp(`^x.yaml:${line} verified\\[3\\].operator: was "later_than", should be one of "eq", "ne"`),
      ),
    ]);
  });

  it.each([
    [
      'aliases that multiply',
      `a: &a [x, x]\n${Array.from({ length: 9 }, (_, n) => `${'bcdefghij'[n]}: &${'bcdefghij'[n]} [${`*${'abcdefghi'[n]}, `.repeat(9)}]`).join('\n')}\n`,
    ],
    ['an alias of nothing', 'a: *b\n'],
  ])('with %s is a problem of the file', (_what, source) => {
    expect(problems(source)).toEqual([expect.stringMatching(/^x\.yaml.* document: was .*, should be .*alias/i)]);
  });

  it('tells all problems at once', () => {
    const source = PAYPAL.replace('provider: paypal', 'provider: paypall')
      .replace('max_attempts: 900', 'max_attempts: many')
      .replace('class: pre_existing_state', 'class: too_old');
    expect(problems(source).map((text) => text.split(' ')[1])).toEqual([
      'provider:',
      'contradicted[2].class:',
      'timing.max_attempts:',
    ]);
  });

  it('names an unknown field itself, with its line', () => {
    const source = PAYPAL.replace('intent:', 'intnet:');
    const line = lineOf(source, 'intnet:');
    expect(problems(source)).toContainEqual(
      `x.yaml:${line} intnet: was "Refund the captured payment to the payer and let the money move back.", should be left out: the contract language has no such field`,
    );
    expect(problems(source)).toContainEqual(expect.stringMatching(/ intent: was missing, should be a string$/));
  });

  it('refuses a path whose root does not exist', () => {
    const source = PAYPAL.replace(
      '$observed.refund_readback.create_time\n    operator: time_after',
      '$seen.time\n    operator: time_after',
    );
    expect(problems(source)).toEqual([
      expect.stringMatching(/verified\[3\]\.path: was "\$seen\.time", should be a path from \$observed/),
    ]);
  });

  it('refuses an expectation that looks like a path and is none', () => {
    expect(problems(PAYPAL.replace('expected: $input.currency_code', 'expected: $inptu.currency_code'))).toEqual([
      expect.stringContaining('verified[2].expected: was "$inptu.currency_code"'),
    ]);
  });

  it('names the line of a YAML syntax error and of a repeated key', () => {
    expect(problems('contract: { id: a.b')[0]).toMatch(/^x\.yaml:1 document: was not YAML/);
    expect(problems(PAYPAL.replace('title:', 'provider: paypal\ntitle:'))[0]).toMatch(/document: was not YAML.*unique/);
  });

  it('refuses a version of two numbers and an effective_from that is no instant', () => {
    const source = PAYPAL.replace('version: 1.0.0', 'version: 1.0').replace(
      'proves_money: true',
      'proves_money: true\neffective_from: soon',
    );
    expect(problems(source).join('\n')).toMatch(/contract\.version: was 1, should be a string/);
    expect(problems(source).join('\n')).toMatch(/effective_from: was "soon", should be an instant/);
  });
});

describe('loading contracts', () => {
  it('reads every shipped contract', () => {
    const names = loadContracts().all.map(({ ref }) => `${ref.id}@${ref.version}`);
    expect(names.sort()).toEqual([
      'paypal.refund.completed@1.0.0',
      'paypal.refund.completed@1.1.0',
      'paypal.refund.completed@1.2.0',
      'shopify.refund.created@1.0.0',
      'shopify.refund.created@1.1.0',
      'shopify.refund.created@1.2.0',
      'shopify.refund.financially_completed@1.0.0',
      'shopify.refund.financially_completed@1.1.0',
      'square.refund.completed@1.0.0',
      'square.refund.completed@1.1.0',
      'square.refund.completed@1.2.0',
      'stripe.refund.succeeded@1.0.0',
      'stripe.refund.succeeded@1.1.0',
    ]);
  });

  it('throws CONTRACT_INVALID with the problems of all files', () => {
    const path = folder({ 'a.yaml': PAYPAL.replace('provider: paypal', 'provider: x'), 'b.yaml': 'no: contract' });
    expect(() => loadContracts(path)).toThrow(OperatingError);
    expect(() => loadContracts(path)).toThrow(/a\.yaml:\d+ provider:[\s\S]*b\.yaml:\d+ title:/);
  });

  it('refuses one version told twice', () => {
    const path = folder({ 'a.yaml': PAYPAL, 'b.yaml': PAYPAL });
    expect(readContracts([path]).problems.map(printProblem)).toEqual([
      expect.stringMatching(/b\.yaml:\d+ contract: was paypal\.refund\.completed@1\.0\.0, should be unique: .*a\.yaml/),
    ]);
  });

  it('refuses a contract that stands where another should', () => {
    const path = folder({ '1.0.1.yaml': PAYPAL });
    expect(readContracts([path]).problems.map(({ field, was }) => [field, was])).toEqual([
      ['contract.id', '"paypal.refund.completed"'],
      ['contract.version', '"1.0.0"'],
    ]);
  });

  it('says that a folder holds no contract, and that one does not exist', () => {
    expect(() => loadContracts(folder({}))).toThrow(/no contract in/);
    expect(() => loadContracts('/nowhere/at/all')).toThrow(/cannot be read from \/nowhere/);
  });
});
