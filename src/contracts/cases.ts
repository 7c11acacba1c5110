import type { ContractSet } from '../evaluator/compile.ts';
import type { Contract } from '../evaluator/contract.ts';
import type { VerdictRecord } from '../evaluator/verdict.ts';
import { type CaseLine, expandCase, refundIdOf } from './cases/expand.ts';
import type { Expectation } from './cases/format.ts';
import type { CaseFile } from './cases/read-case.ts';

/** A record that was refused: where it stands in the case, and why. */
export interface CaseRefusal {
  readonly index: number;
  readonly code: string;
  readonly reason: string;
}

/** What a run of records came to: every verdict in publication order, and the refused records in the case's order. */
export interface Played {
  readonly verdicts: readonly VerdictRecord[];
  readonly refusals: readonly CaseRefusal[];
}

/**
 * Plays log lines through the pipeline and moves time on to `until` (an instant) at the end. Webhooks are taken as
 * authentic: a case tells what a provider said, not how it signed it.
 */
export type PlayRecords = (lines: readonly CaseLine[], until: string, contracts: ContractSet) => Played;

export interface CaseOutcome {
  readonly file: string;
  readonly name: string;
  readonly contract: string;
  readonly safe: boolean;
  /** what differs from what the case expects; empty where it passed */
  readonly failures: readonly string[];
  /** operations that were VERIFIED and should not have been: money posted wrongly */
  readonly falseSafe: number;
  /** operations that should have been VERIFIED and were not: a good refund held up */
  readonly falseBlock: number;
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

const differences = (expected: Expectation, verdicts: readonly VerdictRecord[], contract: Contract): string[] => {
  const last = verdicts.at(-1);
  if (last === undefined) return ['no verdict'];
  const found: string[] = [];
  const compare = (member: string, want: unknown, got: unknown): void => {
    if (want !== undefined && show(want) !== show(got))
      found.push(`${member} was ${show(got)}, should be ${show(want)}`);
  };
  const sorted = (texts: readonly string[] | undefined): string[] | undefined =>
    texts === undefined ? undefined : [...texts].sort();
  compare('verdict', expected.verdict, last.verdict);
  compare('class', expected.class, last.class);
  compare('reason', expected.reason, last.reason);
  compare('money_moved', expected.money_moved, last.money_moved);
  compare('advice', expected.advice, last.advice);
  compare('basis', expected.basis, last.basis);
  compare(
    'duplicates',
    sorted(expected.duplicates?.map((name) => refundIdOf(name, contract))),
    sorted(last.duplicates.ids),
  );
  compare('escalated_to', expected.escalated_to, last.escalated_to);
  compare('duplicates_dropped', expected.duplicates_dropped, last.duplicates_dropped);
  const refund =
    expected.refund === undefined || expected.refund === null ? expected.refund : refundIdOf(expected.refund, contract);
  compare('refund', refund, last.refund?.id ?? null);
  const { correlation } = last;
  compare(
    'correlation',
    expected.correlation,
    correlation === null ? null : `${correlation.assurance} ${correlation.strategy}`,
  );
  const named = (isWanted: (condition: VerdictRecord['conditions'][number]) => boolean): string[] =>
    last.conditions
      .filter(isWanted)
      .map(({ name }) => name)
      .sort();
  compare(
    'unmet',
    sorted(expected.unmet),
    named(({ kind, result }) => kind === 'verified' && result !== 'true'),
  );
  compare(
    'contradicted',
    sorted(expected.contradicted),
    named(({ kind, result }) => kind === 'contradicted' && result === 'true'),
  );
  compare('findings', sorted(expected.findings), sorted(last.findings.map(({ code }) => code)));
  compare(
    'revisions',
    expected.revisions,
    verdicts.map(({ verdict }) => verdict),
  );
  if (expected.says !== undefined && !last.detail.includes(expected.says))
    found.push(`detail was ${show(last.detail)}, should say ${show(expected.says)}`);
  return found.length === 0 ? [] : [...found, `(said: ${last.verdict} ${last.reason}: ${last.detail})`];
};

/** Plays one case and holds the last verdict of each operation against what the case expects. */
export const runCase = (file: CaseFile, contracts: ContractSet, play: PlayRecords): CaseOutcome => {
  const { story } = file;
  const [id = '', version = ''] = story.contract.split('@');
  const compiled = contracts.find(id, version);
  const base = { file: file.file, name: story.name, contract: story.contract, safe: story.safe };
  if (compiled === null)
    return { ...base, failures: [`${story.contract} is no contract here`], falseSafe: 0, falseBlock: 0 };
  const { contract } = compiled;
  const { lines, until } = expandCase(story, contract);
  const { verdicts, refusals } = play(lines, until, contracts);
  const failures: string[] = [];
  let falseSafe = 0;
  let falseBlock = 0;
  for (const [operation, expected] of Object.entries(story.expect)) {
    const published = verdicts.filter((verdict) => verdict.operation_id === operation);
    const verdict = published.at(-1)?.verdict;
    if (verdict === 'VERIFIED' && expected.verdict !== 'VERIFIED') falseSafe += 1;
    if (verdict !== 'VERIFIED' && expected.verdict === 'VERIFIED') falseBlock += 1;
    failures.push(...differences(expected, published, contract).map((text) => `${operation}: ${text}`));
  }
  const isAllVerified = Object.values(story.expect).every((expected) => expected.verdict === 'VERIFIED');
  if (story.safe !== isAllVerified)
    failures.push(
      `safe was ${story.safe}, should be ${isAllVerified}: a case is safe where every operation is VERIFIED`,
    );
  const codes = refusals.map(({ code }) => code);
  const wanted = story.refused ?? [];
  if (show(codes) !== show(wanted)) {
    failures.push(`refused was ${show(codes)}, should be ${show(wanted)}`);
    failures.push(...refusals.map(({ index, code, reason }) => `records[${index}] ${code}: ${reason}`));
  }
  return { ...base, failures, falseSafe, falseBlock };
};

export interface CaseSummary {
  readonly cases: number;
  readonly safe: number;
  readonly unsafe: number;
  readonly failed: number;
  readonly falseSafe: number;
  readonly falseBlock: number;
}

export const summarise = (outcomes: readonly CaseOutcome[]): CaseSummary => ({
  cases: outcomes.length,
  safe: outcomes.filter((one) => one.safe).length,
  unsafe: outcomes.filter((one) => !one.safe).length,
  failed: outcomes.filter((one) => one.failures.length > 0).length,
  falseSafe: outcomes.reduce((sum, one) => sum + one.falseSafe, 0),
  falseBlock: outcomes.reduce((sum, one) => sum + one.falseBlock, 0),
});
