import { readKeyFile } from '../../drivers/files/key-file.ts';
import { auditChains, type NamedHead, verifyLines } from '../../receipts/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ChunkedOutput } from '../output.ts';
import { counted, problemJson, problemLine } from './print.ts';
import { type SourceOptions, withReceiptLines } from './sources.ts';

export interface AuditOptions extends SourceOptions {
  readonly keys: string;
  readonly head?: readonly NamedHead[];
  readonly partial?: boolean;
  readonly json?: boolean;
}

const headText = ({ log, shard, sequence, hash }: NamedHead): string => `${log}/${shard}:${sequence}:${hash ?? '-'}`;

/** Audits the chains of a receipts log. Answers with the exit code. */
export const auditCommand = async (files: readonly string[], options: AuditOptions): Promise<ExitCode> => {
  const keys = readKeyFile(options.keys);
  const isPartial = options.partial === true;
  const { receipts, problems: faults } = await withReceiptLines(files, options, (lines) =>
    verifyLines(lines, keys, { isPartial, allowsUnsealed: true }),
  );
  const { problems: broken, heads } = auditChains(receipts, options.head ?? [], isPartial);
  const problems = [...faults, ...broken];
  const output = new ChunkedOutput(process.stdout);
  if (options.json === true) {
    const body = { ok: problems.length === 0, receipts: receipts.length, heads: heads.map(headText) };
    output.line(JSON.stringify({ ...body, problems: problems.map(problemJson) }));
  } else {
    for (const problem of problems) output.line(problemLine(problem));
    const what = `${counted(receipts.length, 'receipt')} in ${counted(heads.length, 'chain')}`;
    output.line(
      problems.length === 0 ? `The chains are whole: ${what}.` : `${counted(problems.length, 'problem')}; ${what}.`,
    );
    for (const head of heads) output.line(`head ${headText(head)}`);
  }
  await output.flush();
  return problems.length === 0 ? EXIT.ok : EXIT.notProven;
};
