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
export type Told = Pick<VerdictRecord, 'verdict' | 'advice' | 'findings' | 'refund'> & {
  readonly duplicates: Pick<VerdictRecord['duplicates'], 'ids'>;
};

/**
 * It in a few characters: the advice, a letter for each finding, the refund that a decided verdict names, a digest of the
 * duplicates.
 */
export const toldOf = ({ verdict, advice, findings, refund, duplicates }: Told): string => {
  const letters = findings.map(({ code }) => LETTERS[code]).sort();
  const others = duplicates.ids.length === 0 ? '' : `:${digestOf(duplicates.ids)}`;
  const named = verdict === 'UNVERIFIABLE' ? '' : (refund?.id ?? '');
  return `${advice}:${letters.join('')}:${named}${others}`;
};
