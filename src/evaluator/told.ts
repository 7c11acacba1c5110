import type { Advice } from './contract.ts';
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

/** A short digest (FNV-1a, 32 bits) of ids, so that a verdict that names others is known from one that names the same. */
const digestOf = (ids: readonly string[]): string => {
  let hash = 0x811c9dc5;
  const text = ids.join('\n');
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
};

/** What a verdict tells beside its judgement. */
export type Told = Pick<VerdictRecord, 'verdict' | 'advice' | 'findings' | 'refund' | 'escalated_to'> & {
  readonly duplicates: Pick<VerdictRecord['duplicates'], 'ids'>;
};

/** Whether a verdict goes to a person or not without saying so here: one that is open for want of proof always does. */
const isOpen = (verdict: VerdictRecord['verdict']): boolean => verdict === 'PENDING' || verdict === 'UNVERIFIABLE';

/**
 * It in a few characters: the advice, who is asked about a decided verdict, a letter for each finding, the refund that a decided
 * verdict names, a digest of the duplicates.
 */
export const toldOf = ({ verdict, advice, findings, refund, duplicates, escalated_to: asked }: Told): string => {
  const letters = findings.map(({ code }) => LETTERS[code]).sort();
  const others = duplicates.ids.length === 0 ? '' : `:${digestOf(duplicates.ids)}`;
  const named = verdict === 'UNVERIFIABLE' ? '' : (refund?.id ?? '');
  const to = asked === null || isOpen(verdict) ? '' : `!${asked}`;
  return `${advice}${to}:${letters.join('')}:${named}${others}`;
};

/** The advice that was told, and who was asked about a decided verdict. */
export const adviceTold = (told: string): { readonly advice: Advice; readonly askedOfDecided: string | null } => {
  const head = told.slice(0, told.indexOf(':'));
  const mark = head.indexOf('!');
  return mark < 0
    ? { advice: head as Advice, askedOfDecided: null }
    : { advice: head.slice(0, mark) as Advice, askedOfDecided: head.slice(mark + 1) };
};
