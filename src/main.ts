import type { ExitCode } from './cli/exit-codes.ts';
import { buildProgram } from './cli/program.ts';
import { reportError } from './cli/report-error.ts';

/** Runs one command line and sets the exit code. */
export const main = async (argv: readonly string[]): Promise<void> => {
  try {
    const program = buildProgram((code: ExitCode) => {
      process.exitCode = code;
    });
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reportError(error, (text) => process.stderr.write(text));
  }
};
