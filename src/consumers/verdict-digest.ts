import type { VerdictRecord } from '../evaluator/index.ts';
import type { PendingVerdict } from '../ports/shard-store.ts';

/** What headers and metrics tell of a verdict. */
export interface VerdictDigest {
  readonly id: string | null;
  readonly provider: string | null;
  readonly verdict: string;
  readonly class: string | null;
  readonly reason: string;
  /** as printed */
  readonly decidedAt: string | null;
}

/** The record that the verdict's text was printed from; null where it is not at hand, or the text has been replaced since. */
export const printedRecord = ({ value, printed }: Pick<PendingVerdict, 'value' | 'printed'>): VerdictRecord | null =>
  printed !== undefined && printed.text === value ? printed.record : null;

/** A text that JSON prints as it is; null for another, which {@link digestVerdict} would not find either. */
const plain = (text: string): string | null => (JSON.stringify(text).length === text.length + 2 ? text : null);

/** As {@link digestVerdict}, from the record itself where that is at hand. */
export const digestPending = (verdict: Pick<PendingVerdict, 'value' | 'printed'>): VerdictDigest => {
  const record = printedRecord(verdict);
  if (record === null) return digestVerdict(verdict.value);
  return {
    id: plain(record.verdict_id),
    provider: record.provider,
    verdict: record.verdict,
    class: record.class,
    reason: record.reason,
    decidedAt: record.decided_at,
  };
};

const SAID = /"verdict":"([A-Z]+)","class":(?:null|"([a-z_]+)"),"reason":"([a-z0-9_]+)"/;

/** The text that stands after `"name":"`, from `from` on; null where there is none or it needs more than a glance. */
const plainText = (json: string, name: string, from: number): string | null => {
  const mark = `"${name}":"`;
  const start = json.indexOf(mark, from);
  if (start < 0) return null;
  const end = json.indexOf('"', start + mark.length);
  const text = json.slice(start + mark.length, end);
  return end < 0 || text.includes('\\') ? null : text;
};

/**
 * Takes a few fields out of a verdict record as we print it, without reading all of it: a record is some kilobytes, and
 * this is done for each. Our print puts them in a fixed order: id and provider before anything that a caller chose,
 * `decided_at` after it.
 */
export const digestVerdict = (json: string): VerdictDigest => {
  const [, verdict = 'unknown', kind = null, reason = 'unknown'] = SAID.exec(json) ?? [];
  return {
    id: plainText(json, 'verdict_id', 0),
    provider: plainText(json, 'provider', 0),
    verdict,
    class: kind ?? null,
    reason,
    decidedAt: plainText(json, 'decided_at', json.lastIndexOf('"decided_at":"')),
  };
};
