import { InvalidArgumentError } from 'commander';
import { instantMs } from '../evaluator/instant.ts';

/** Reads an instant from the command line, in milliseconds since the epoch. */
export const parseInstantOption = (text: string): number => {
  const ms = instantMs(text);
  if (ms === null) throw new InvalidArgumentError('It should be an RFC 3339 instant, e.g. 2026-09-01T12:00:00Z.');
  return ms;
};
