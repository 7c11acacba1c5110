import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { wrapText } from '../../../src/cli/contracts/wrap.ts';
import { SHIPPED_CONTRACTS } from '../../../src/contracts/load.ts';
import { runContracts } from '../../support/run-contracts.ts';

const folders: string[] = [];
const copyOfContracts = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'contracts-cli-'));
  folders.push(folder);
  cpSync(SHIPPED_CONTRACTS, folder, { recursive: true });
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const PAYPAL = 'paypal.refund.completed/1.1.0.yaml';
const edit = (file: string, from: string, to: string): void => {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not say ${from}`);
  writeFileSync(file, text.replaceAll(from, to));
};

describe('contracts list', () => {
  it('says which version is taken when none is named', () => {
    const { stdout, code } = runContracts('list', '--json');
    const taken = (JSON.parse(stdout) as { id: string; version: string; taken_when_unnamed: boolean }[]).filter(
      (one) => one.taken_when_unnamed,
    );
    expect(code).toBe(0);
    const inEffect = Date.now() >= Date.parse('2026-12-01T00:00:00Z') ? '1.2.0' : '1.1.0';
    expect(taken.map(({ id, version }) => `${id}@${version}`)).toContain(`paypal.refund.completed@${inEffect}`);
    expect(taken).toHaveLength(5);
  });
});

describe('contracts show', () => {
  it('says all that a contract says', () => {
    const { stdout, code } = runContracts('show', 'square.refund.completed@1.0.0');
    expect(code).toBe(0);
    const text = stdout.replace(/[│\s]+/g, ' ');
    for (const part of [
      '996beade3905b671',
      'refund_completed_event',
      'wrong subject',
      '604800000 ms',
      'Provisional',
      '2026-08-19',
      'still_transitional',
      'square.openapi',
    ])
      expect(text).toContain(part);
  });

  it('says whom a state rule asks', () => {
    const { stdout } = runContracts('show', 'paypal.refund.completed@1.2.0');
    expect(stdout.replace(/[│\s]+/g, ' ')).toContain('ask person (person)');
  });

  it('shows the newest in effect without a version, and as JSON with its hash', () => {
    const shown = JSON.parse(runContracts('show', 'stripe.refund.succeeded', '--json').stdout) as {
      hash: string;
      contract: { version: string };
    };
    const inEffect = Date.now() >= Date.parse('2026-12-01T00:00:00Z') ? '1.1.0' : '1.0.0';
    expect(shown.contract.version).toBe(inEffect);
    expect(shown.hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it('names what there is where a contract is unknown', () => {
    const { stderr, code } = runContracts('show', 'paypal.refund.done');
    expect(code).toBe(2);
    expect(stderr).toContain('there is no contract paypal.refund.done; there are paypal.refund.completed@1.2.0');
  });

  it('breaks paths at their dots and loses nothing', () => {
    const text = 'a $observed.refund_readback.data.refund.id eq $input.x';
    const wrapped = wrapText(text, 20);
    expect(wrapped.split('\n').every((line) => line.length <= 20)).toBe(true);
    expect(wrapped.replace(/[\n ]/g, '')).toBe(text.replace(/ /g, ''));
    expect(wrapped).toContain('$observed.');
  });
});

describe('contracts lint', () => {
  it('is clean on the shipped contracts and only notes what published versions lack', () => {
    const { stdout, code } = runContracts('lint', '--json');
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { findings: { severity: string }[] };
    expect(new Set(report.findings.map(({ severity }) => severity))).toEqual(new Set(['note']));
  });

  it('fails where a published version changed, and does not take the change into the lock', () => {
    const folder = copyOfContracts();
    const lock = readFileSync(join(folder, 'lock.json'), 'utf8');
    edit(join(folder, PAYPAL), 'max_attempts: 900', 'max_attempts: 901');
    const { stdout, code } = runContracts('lint', folder, '--update-lock');
    expect(code).toBe(1);
    expect(stdout).toMatch(/error .*1\.1\.0\.yaml:\d+ contract\.version: .*unchanged/);
    expect(readFileSync(join(folder, 'lock.json'), 'utf8')).toBe(lock);
  });

  it('fails where a published version is gone', () => {
    const folder = copyOfContracts();
    rmSync(join(folder, PAYPAL));
    const { stdout, code } = runContracts('lint', folder);
    expect(code).toBe(1);
    expect(stdout).toContain('paypal.refund.completed@1.1.0: was without its contract file');
  });

  it('adds a new version to the lock when told to', () => {
    const folder = copyOfContracts();
    const file = join(folder, 'paypal.refund.completed/1.3.0.yaml');
    cpSync(join(folder, PAYPAL), file);
    edit(file, 'version: 1.1.0', 'version: 1.3.0');
    expect(runContracts('lint', folder).code).toBe(0);
    expect(runContracts('lint', folder, '--update-lock').stdout).toContain('locked paypal.refund.completed@1.3.0');
    edit(file, 'max_attempts: 900', 'max_attempts: 901');
    expect(runContracts('lint', file).code).toBe(1);
  });

  it('tells schema problems with their line, and refuses a path that is not there', () => {
    const folder = copyOfContracts();
    edit(join(folder, PAYPAL), 'provider: paypal', 'provider: paypall');
    expect(runContracts('lint', folder).stdout).toMatch(
      /error .*1\.1\.0\.yaml:\d+ provider: was "paypall", should be one of/,
    );
    const missing = runContracts('lint', join(folder, 'nowhere'));
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('does not exist')]);
  });

  it('refuses a folder without contracts and a lock that is none', () => {
    const folder = copyOfContracts();
    expect(runContracts('lint', join(folder, 'paypal.refund.completed/cases')).code).toBe(2);
    writeFileSync(join(folder, 'lock.json'), '{"paypal.refund.completed@1.1.0": "short"}');
    const { stderr, code } = runContracts('lint', folder);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/CONTRACT_INVALID: .*lock\.json should be JSON/)]);
  });

  it('fails on a warning that can still be put right', () => {
    const folder = copyOfContracts();
    const file = join(folder, 'paypal.refund.completed/1.3.0.yaml');
    cpSync(join(folder, PAYPAL), file);
    edit(file, 'version: 1.1.0', 'version: 1.3.0');
    edit(file, '  required_assurance: strong\n', '');
    const { stdout, code } = runContracts('lint', file);
    expect([code, stdout]).toEqual([1, expect.stringContaining('(weak-binding-suffices)')]);
  });
});

describe('contracts test', () => {
  it('passes every shipped case, with no false-safe and no false-block', () => {
    const { stdout, code } = runContracts('test', '--json');
    const { summary, cases } = JSON.parse(stdout) as {
      summary: Record<string, number>;
      cases: { name: string; failures: string[] }[];
    };
    expect(cases.filter(({ failures }) => failures.length > 0)).toEqual([]);
    expect(summary).toMatchObject({ failed: 0, falseSafe: 0, falseBlock: 0 });
    expect(code).toBe(0);
  });

  it('counts a false-safe and a false-block apart', () => {
    const folder = copyOfContracts();
    const cases = join(folder, 'paypal.refund.completed/cases');
    edit(join(cases, 'settled.yaml'), 'verdict: VERIFIED', 'verdict: PENDING');
    edit(join(cases, 'wrong-amount.yaml'), 'verdict: CONTRADICTED', 'verdict: VERIFIED');
    const { stdout, code } = runContracts('test', cases);
    expect(code).toBe(1);
    expect(stdout).toContain('false-safe 1, false-block 1');
    expect(stdout).toMatch(
      /FAILED .*settled\.yaml: Settled at once\n {2}op-1: verdict was "VERIFIED", should be "PENDING"/,
    );
  });

  it('names line and field of a case that cannot be read', () => {
    const folder = copyOfContracts();
    const file = join(folder, 'paypal.refund.completed/cases/settled.yaml');
    edit(file, 'until: +10m', 'until: later');
    const { stdout, code } = runContracts('test', file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/settled\.yaml:\d+ until: was "later", should be a time from the start/);
  });
});
