import { Command } from 'commander';
import { registerContracts } from '../../src/cli/contracts.ts';
import { reportError } from '../../src/cli/report-error.ts';

/** Runs `contracts …` in this process: what it printed, what it said on stderr, and its exit code. */
export const runContracts = (...words: string[]): { stdout: string; stderr: string; code: number } => {
  let stdout = '';
  let stderr = '';
  let code = 0;
  const write = process.stdout.write;
  process.stdout.write = (text: string | Uint8Array): boolean => {
    stdout += text.toString();
    return true;
  };
  try {
    const program = new Command('countersign').exitOverride().configureOutput({
      writeErr: (text) => {
        stderr += text;
      },
    });
    registerContracts(program, (given) => {
      code = given;
    });
    program.parse(['contracts', ...words], { from: 'user' });
  } catch (error) {
    code = reportError(error, (text) => {
      stderr += text;
    });
  } finally {
    process.stdout.write = write;
  }
  return { stdout, stderr, code };
};
