import { readKeyFile } from '../../drivers/files/key-file.ts';
import { verifyLines } from '../../receipts/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ChunkedOutput } from '../output.ts';
import { counted, problemJson, problemLine } from './print.ts';
import { fileLines } from './sources.ts';

export interface VerifyCommandOptions {
  readonly keys: string;
  readonly partial?: boolean;
  readonly allowUnsealed?: boolean;
  readonly json?: boolean;
}

/** Verifies the receipts of files, offline. Answers with the exit code. */
export const verifyCommand = async (files: readonly string[], options: VerifyCommandOptions): Promise<ExitCode> => {
  const keys = readKeyFile(options.keys);
  const { problems, receipts, read, unsealed } = await verifyLines(fileLines(files), keys, {
    isPartial: options.partial === true,
    allowsUnsealed: options.allowUnsealed === true,
  });
  // Nothing that holds is no proof: the files may be the wrong ones.
  const isProven = problems.length === 0 && read > 0;
  const operations = new Set(
    receipts.map(({ receipt: { verdict } }) => `${verdict.payment_key}/${verdict.operation_id}`),
  );
  const output = new ChunkedOutput(process.stdout);
  if (options.json === true) {
    const counts = { read, receipts: receipts.length, operations: operations.size, unsealed };
    output.line(JSON.stringify({ ok: isProven, ...counts, problems: problems.map(problemJson) }));
  } else {
    for (const problem of problems) output.line(problemLine(problem));
    const proven = `${counted(receipts.length, 'receipt')} of ${counted(operations.size, 'operation')}`;
    const without = unsealed === 0 ? '' : `; ${counted(unsealed, 'verdict')} without a receipt`;
    if (read === 0) output.line('These files hold no verdict and no receipt.');
    else
      output.line(
        isProven
          ? `All of it holds: ${proven}${without}.`
          : `${counted(problems.length, 'problem')}; ${proven} are as they were signed${without}.`,
      );
  }
  await output.flush();
  return isProven ? EXIT.ok : EXIT.notProven;
};
