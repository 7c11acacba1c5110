import { existsSync, statSync } from 'node:fs';
import Table from 'cli-table3';
import { type Command, Option } from 'commander';
import { readCases } from '../contracts/cases/read-case.ts';
import { type CaseOutcome, runCase, summarise } from '../contracts/cases.ts';
import { contractFiles, loadContracts, SHIPPED_CONTRACTS } from '../contracts/load.ts';
import { printProblem } from '../contracts/problem.ts';
import type { CompiledContract, ContractSet } from '../evaluator/compile.ts';
import { type LintLine, lintPaths } from './contracts/lint.ts';
import { playRecords } from './contracts/play.ts';
import { showContract } from './contracts/show.ts';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { UsageError } from './report-error.ts';

interface Options {
  readonly json?: boolean;
  readonly contracts?: string;
  readonly updateLock?: boolean;
}

const WIDTH = 120;

const width = (): number => process.stdout.columns ?? WIDTH;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

const mustExist = (paths: readonly string[]): readonly string[] => {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new UsageError(`${missing} does not exist`);
  return paths.length === 0 ? [SHIPPED_CONTRACTS] : paths;
};

const isNewest = (set: ContractSet, { ref }: CompiledContract): boolean =>
  set.resolve(ref.id, null, Date.now())?.ref.version === ref.version;

const list = (options: Options): ExitCode => {
  const set = loadContracts(options.contracts);
  const rows = set.all.map((compiled) => ({
    id: compiled.ref.id,
    version: compiled.ref.version,
    hash: compiled.ref.hash,
    provider: compiled.contract.provider,
    completion_level: compiled.contract.completion_level,
    proves_money: compiled.contract.proves_money,
    taken_when_unnamed: isNewest(set, compiled),
  }));
  if (options.json === true) {
    printJson(rows);
    return EXIT.ok;
  }
  const table = new Table({
    head: ['Contract', 'Version', 'Hash', 'Provider', 'Level', 'Proves money', 'When no version is named'],
    style: { head: [], border: [] },
  });
  for (const row of rows)
    table.push([
      row.id,
      row.version,
      row.hash,
      row.provider,
      row.completion_level,
      row.proves_money ? 'yes' : 'no',
      row.taken_when_unnamed ? 'this one' : '',
    ]);
  print(table.toString());
  return EXIT.ok;
};

const show = (name: string, options: Options): ExitCode => {
  const set = loadContracts(options.contracts);
  const [id = '', version] = name.split('@');
  const found = version === undefined ? set.resolve(id, null, Date.now()) : set.find(id, version);
  if (found === null) {
    const known = set.all.map(({ ref }) => `${ref.id}@${ref.version}`).join(', ');
    throw new UsageError(`there is no contract ${name}; there are ${known}`);
  }
  if (options.json === true) printJson({ ...found.contract, hash: found.ref.hash });
  else print(showContract(found, width()));
  return EXIT.ok;
};

const lintText = (finding: LintLine): string => `${finding.severity} ${printProblem(finding)} (${finding.rule})`;

const lint = (paths: readonly string[], options: Options): ExitCode => {
  const report = lintPaths(mustExist(paths), { updateLock: options.updateLock === true });
  if (report.contracts === 0 && report.findings.length === 0)
    throw new UsageError(`no contract in ${paths.join(', ')}`);
  if (options.json === true) printJson(report);
  else {
    for (const finding of report.findings) print(lintText(finding));
    for (const name of report.locked) print(`locked ${name}`);
    const count = (severity: LintLine['severity']): number =>
      report.findings.filter((finding) => finding.severity === severity).length;
    print(
      `${report.contracts} contracts: ${count('error')} errors, ${count('warning')} warnings, ${count('note')} notes on published versions`,
    );
  }
  return report.isClean ? EXIT.ok : EXIT.failed;
};

const printOutcome = (outcome: CaseOutcome): void => {
  if (outcome.failures.length === 0) return;
  print(`FAILED ${outcome.file}: ${outcome.name}`);
  for (const failure of outcome.failures) print(`  ${failure}`);
};

/** A folder of cases that has contracts of its own is tested with those. */
const ownContracts = (paths: readonly string[]): string | undefined =>
  paths.find((path) => statSync(path).isDirectory() && contractFiles(path).length > 0);

const test = (paths: readonly string[], options: Options): ExitCode => {
  const folders = mustExist(paths);
  const { cases, problems } = readCases(folders);
  const set = loadContracts(options.contracts ?? ownContracts(folders));
  const outcomes = cases.map((file) => runCase(file, set, playRecords));
  const summary = summarise(outcomes);
  if (options.json === true) printJson({ summary, problems, cases: outcomes });
  else {
    for (const problem of problems) print(printProblem(problem));
    outcomes.forEach(printOutcome);
    print(
      `${summary.cases} cases (${summary.safe} safe, ${summary.unsafe} unsafe): ${summary.cases - summary.failed} passed, ${summary.failed} failed, ${problems.length} unreadable; false-safe ${summary.falseSafe}, false-block ${summary.falseBlock}`,
    );
  }
  if (cases.length === 0 && problems.length === 0)
    throw new UsageError(`no case in ${paths.join(', ') || SHIPPED_CONTRACTS}`);
  return summary.failed === 0 && problems.length === 0 ? EXIT.ok : EXIT.failed;
};

const CODES = exitCodesHelp({
  0: 'in order',
  1: 'something was found',
  2: 'the command line, or a file it names, is wrong',
});

const SHOWING_CODES = exitCodesHelp({
  0: 'it is shown',
  2: 'the command line is wrong, a contract is not there, or a file of the folder is not right',
});

/** Adds `contracts list | show | lint | test`. `finish` hears the exit code. */
export const registerContracts = (program: Command, finish: (code: ExitCode) => void): void => {
  const contracts = program.command('contracts').description('Show, lint and test completion contracts.');
  const folder = (): Option => new Option('--contracts <dir>', 'a folder of contracts (default: the shipped ones)');

  contracts
    .command('list')
    .description('List the contracts, and which version is taken when none is named.')
    .addOption(folder())
    .option('--json', 'print JSON')
    .addHelpText('after', SHOWING_CODES)
    .action((options: Options) => finish(list(options)));

  contracts
    .command('show')
    .description('Show all that a contract says.')
    .argument('<id[@version]>', 'e.g. paypal.refund.completed@1.0.0; the newest in effect without a version')
    .addOption(folder())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  countersign contracts show square.refund.completed@1.1.0\n')
    .addHelpText('after', SHOWING_CODES)
    .action((name: string, options: Options) => finish(show(name, options)));

  contracts
    .command('lint')
    .description('Check contract files for what a schema can find and for what it cannot.')
    .argument('[path...]', 'contract files or folders (default: the shipped contracts)')
    .option('--update-lock', 'add new versions to lock.json; a locked version is never changed')
    .option('--json', 'print JSON')
    .addHelpText('after', CODES)
    .action((paths: string[], options: Options) => finish(lint(paths, options)));

  contracts
    .command('test')
    .description('Play the cases beside the contracts and compare their verdicts.')
    .argument('[path...]', 'case files or folders (default: the shipped cases)')
    .addOption(new Option('--contracts <dir>', 'contracts to test (default: those in the path, else the shipped ones)'))
    .option('--json', 'print JSON')
    .addHelpText('after', CODES)
    .action((paths: string[], options: Options) => finish(test(paths, options)));
};
