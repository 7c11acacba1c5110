import type { EpochMs } from './observation.ts';

/** Orders texts by their code units, as no locale changes it. */
export const orderText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The earlier of two instants; null is none. */
export const earliest = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** The later of two instants; null is none. */
export const latest = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null ? b : b === null ? a : Math.max(a, b);
