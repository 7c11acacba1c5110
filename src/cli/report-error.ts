import { CommanderError } from 'commander';
import { type ErrorCode, OperatingError } from '../errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Errors that the person at the keyboard can put right: they exit as usage errors. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'INPUT_UNREADABLE',
  'CONFIG_INVALID',
  'CONTRACT_INVALID',
  'SCENARIO_INVALID',
]);

/** A command line that the option parser takes and the command cannot. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const UNLISTENABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
};

/** What stands in the way of listening, in words; null: the error is about something else. */
const listenProblem = (error: unknown): string | null => {
  const {
    code = '',
    syscall,
    address,
    port,
  } = error as { code?: string; syscall?: string; address?: string; port?: number };
  const why = syscall === 'listen' ? UNLISTENABLE[code] : undefined;
  return why === undefined ? null : `cannot listen on ${address}:${port}: ${why} (${code})`;
};

const HELP_CODES = new Set(['commander.help', 'commander.helpDisplayed', 'commander.version']);

/**
 * Tells an error on stderr, in words for operating errors, with a stack trace only for a fault of ours, and gives the exit
 * code that goes with it.
 */
export const reportError = (error: unknown, write: (text: string) => void): ExitCode => {
  if (error instanceof CommanderError) {
    // Commander has printed its message already.
    return HELP_CODES.has(error.code) ? EXIT.ok : EXIT.usage;
  }
  if (error instanceof UsageError) {
    write(`countersign: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof OperatingError) {
    write(`countersign: ${error.code}: ${error.message}\n`);
    return USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
  }
  const problem = error instanceof Error ? listenProblem(error) : null;
  if (problem !== null) {
    write(`countersign: ${problem}\n`);
    return EXIT.failed;
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  write(`countersign: a fault in Countersign itself; please report it with what follows\n${trace}\n`);
  return EXIT.failed;
};
