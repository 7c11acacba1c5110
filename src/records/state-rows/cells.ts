import type { Json } from '../../evaluator/index.ts';

/** One value of a row; a row may end early. */
export type Cell = Json | undefined;
export type Row = readonly Json[];

const HEX_64 = /^[0-9a-f]{64}$/;

/** Hex digests in two thirds of their length; any other text behind a `~`. */
export const packDigest = (text: string): string =>
  HEX_64.test(text) ? Buffer.from(text, 'hex').toString('base64url') : `~${text}`;
export const unpackDigest = (text: string): string =>
  text.startsWith('~') ? text.slice(1) : Buffer.from(text, 'base64url').toString('hex');

/** Drops what is null at a row's end, in place: a state has dozens of rows, and each is the caller's own. */
export const trim = (cells: Cell[]): Json[] => {
  let length = cells.length;
  while (length > 0 && (cells[length - 1] ?? null) === null) length -= 1;
  cells.length = length;
  for (let at = 0; at < length; at += 1) cells[at] ??= null;
  return cells as Json[];
};

export const text = (cell: Cell): string => cell as string;
export const textOrNull = (cell: Cell): string | null => (cell ?? null) as string | null;
export const row = (cell: Cell): Row => (cell ?? []) as Row;
export const rows = (cell: Cell): readonly Row[] => (cell ?? []) as readonly Row[];
