import pc from 'picocolors';
import { printable } from '../verdict-table.ts';
import type { Check } from './check.ts';

const WORDS: Readonly<Record<Check['status'], string>> = {
  ok: pc.green('ok  '),
  warn: pc.yellow('warn'),
  fail: pc.red('fail'),
};

const lines = (text: string, indent: string): string => text.split('\n').map(printable).join(`\n${indent}`);

/** A line a check, with what to do under those that are not well, and how many there are of each. */
export const printChecks = (checks: readonly Check[]): string => {
  const indent = ' '.repeat(19);
  const told = checks.map(({ area, status, what, advice }) => {
    const line = `${WORDS[status]}  ${area.padEnd(11)}  ${lines(what, indent)}`;
    return advice === null ? line : `${line}\n${indent}${pc.dim(lines(advice, indent))}`;
  });
  const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  return `${told.join('\n')}\n\n${count('ok')} ok, ${count('warn')} to think about, ${count('fail')} wrong\n`;
};
