import { EXIT, type ExitCode } from './cli/exit-codes.ts';
import { buildProgram } from './cli/program.ts';
import { reportError } from './cli/report-error.ts';
import { watchOutput } from './cli/watch-output.ts';

/** Runs one command line and sets the exit code. */
export const main = async (argv: readonly string[]): Promise<void> => {
  const tell = (text: string): boolean => process.stderr.write(text);
  let isOutputLost = false;
  const lose = (error: Error): void => {
    isOutputLost = true;
    process.exitCode = reportError(error, tell);
  };
  watchOutput(process.stdout, 'standard output', lose);
  watchOutput(process.stderr, 'standard error', lose);
  try {
    const program = buildProgram((code: ExitCode) => {
      process.exitCode = isOutputLost && code === EXIT.ok ? EXIT.failed : code;
    });
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reportError(error, tell);
  }
};
