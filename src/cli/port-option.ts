import { InvalidArgumentError } from 'commander';

/** Parses `--port`. */
export const portOption = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535 || text.trim() === '')
    throw new InvalidArgumentError(`It was "${text}", it should be a port from 0 (any free one) to 65535.`);
  return value;
};
