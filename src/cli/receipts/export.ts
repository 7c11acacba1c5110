import { instantMs, type VerdictRecord } from '../../evaluator/index.ts';
import { attachedJws, openReceipt, readClaim } from '../../receipts/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ChunkedOutput } from '../output.ts';
import { counted } from './print.ts';
import { type SourceOptions, withReceiptLines } from './sources.ts';

export interface ExportOptions extends SourceOptions {
  readonly operation?: string;
  readonly since?: number;
}

const isWanted = (
  { operation_id: id, payment_key: key, decided_at: at }: VerdictRecord,
  { operation, since }: ExportOptions,
): boolean =>
  (operation === undefined || operation === id || operation === `${key}/${id}`) &&
  (since === undefined || (instantMs(at) ?? 0) >= since);

/** Writes receipts as compact JWS, one a line, in the order of their source. Answers with the exit code. */
export const exportCommand = async (files: readonly string[], options: ExportOptions): Promise<ExitCode> => {
  const output = new ChunkedOutput(process.stdout);
  let unreadable = 0;
  await withReceiptLines(files, options, async (lines) => {
    for await (const { at, text } of lines) {
      const claim = readClaim(text);
      if (claim.form === 'other' || (claim.form === 'record' && claim.record.receipt === null)) continue;
      const jws = attachedJws(claim);
      const opened = jws === null ? null : openReceipt(jws);
      if (jws === null || opened === null || !opened.ok) {
        unreadable += 1;
        process.stderr.write(`${at}: no receipt can be read there\n`);
      } else if (isWanted(opened.receipt.verdict, options)) output.line(jws);
      await output.settle();
      if (output.isClosed) return;
    }
  });
  await output.flush();
  if (unreadable > 0) process.stderr.write(`${counted(unreadable, 'line')} left out\n`);
  return unreadable === 0 ? EXIT.ok : EXIT.notProven;
};
