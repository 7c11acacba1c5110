/** What every command answers to the shell. */
export const EXIT = {
  ok: 0,
  /** something outside failed: a file, a server, a damaged journal */
  failed: 1,
  /** the command line is wrong, or a file it names is missing or not what it should be */
  usage: 2,
  /** the work is done, and some records went to dead-letter */
  deadLetters: 3,
  /** the work is done, and what was to be proven does not hold: a receipt, a chain */
  notProven: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The part of a command's help that says what its exit codes mean. */
export const exitCodesHelp = (codes: Readonly<Record<number, string>>): string =>
  `\nExit codes:\n${Object.entries(codes)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n')}\n`;
