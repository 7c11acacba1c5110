import type { VerdictRecord } from './verdict.ts';

const LETTERS: Readonly<Record<VerdictRecord['findings'][number]['code'], string>> = {
  reversal_seen: 'r',
  dispute_seen: 'd',
  unclaimed_refund: 'u',
  ambiguous_owner: 'a',
  weak_candidate: 'w',
  operation_conflict: 'c',
  live_refund_beside_failure: 'l',
  state_limit: 's',
};

/** What a verdict tells beside its judgement, in a few characters: the advice, a letter for each finding, the refund it names. */
export const toldOf = ({ advice, findings, refund }: Pick<VerdictRecord, 'advice' | 'findings' | 'refund'>): string => {
  const letters = findings.map(({ code }) => LETTERS[code]).sort();
  return `${advice}:${letters.join('')}:${refund?.id ?? ''}`;
};
