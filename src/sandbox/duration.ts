import { z } from 'zod';

const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const A_DURATION = 'a duration like 250ms, 10s, 5m, 2h or 3d';

const msOf = (text: string): number => {
  const match = DURATION.exec(text);
  return Math.round(Number(match?.[1] ?? Number.NaN) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN));
};

/** A duration as a scenario writes it, in milliseconds. */
export const duration = z.string(A_DURATION).regex(DURATION, A_DURATION).transform(msOf);

/** Milliseconds, both ends included; a single duration is both. */
export interface Span {
  readonly leastMs: number;
  readonly mostMs: number;
}

const A_SPAN = `${A_DURATION}, or a list of two: the least and the most`;

/** A duration, or two that it is drawn between. */
export const span = z
  .union([duration, z.tuple([duration, duration])], A_SPAN)
  .transform(
    (given): Span =>
      typeof given === 'number' ? { leastMs: given, mostMs: given } : { leastMs: given[0], mostMs: given[1] },
  )
  .refine(({ leastMs, mostMs }) => leastMs <= mostMs, 'the least first, then the most');
