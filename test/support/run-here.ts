import { vi } from 'vitest';
import { EXIT, type ExitCode } from '../../src/cli/exit-codes.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { reportError } from '../../src/cli/report-error.ts';
import type { CliRun } from './run-cli.ts';

/** Runs a command line in this process: a process of its own costs a second or more. Only for commands that end by themselves. */
export const runHere = async (args: readonly string[]): Promise<CliRun> => {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const into =
    (texts: string[]) =>
    (text: string | Uint8Array, ...rest: unknown[]): boolean => {
      texts.push(String(text));
      const done = rest.findLast((one) => typeof one === 'function') as (() => void) | undefined;
      done?.();
      return true;
    };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into(stdout)),
    vi.spyOn(process.stderr, 'write').mockImplementation(into(stderr)),
  ];
  let code: ExitCode = EXIT.ok;
  try {
    await buildProgram((finished) => {
      code = finished;
    }).parseAsync(['node', 'countersign', ...args]);
  } catch (error) {
    code = reportError(error, (text) => stderr.push(text));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
};
