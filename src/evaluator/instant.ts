/**
 * A printed instant. It names an interval of its own precision: `12:00:00Z` is anywhere in that second.
 * Both are milliseconds since the epoch; `endMs` is exclusive.
 */
export interface PrintedInstant {
  readonly startMs: number;
  readonly endMs: number;
}

const ZERO = 48;

/** The number that `length` digits at `from` spell; NaN where one of them is no digit. */
const digits = (text: string, from: number, length: number): number => {
  let value = 0;
  for (let index = from; index < from + length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
};

/** Minutes east of UTC that the offset at `from` spells; NaN for none. `Z`, `z`, `+02:00`, `-0700`. */
const offsetMinutes = (text: string, from: number): number => {
  const sign = text[from];
  const rest = text.length - from - 1;
  if (sign === 'Z' || sign === 'z') return rest === 0 ? 0 : Number.NaN;
  if (sign !== '+' && sign !== '-') return Number.NaN;
  const hasColon = rest === 5 && text[from + 3] === ':';
  if (!hasColon && rest !== 4) return Number.NaN;
  const hours = digits(text, from + 1, 2);
  const minutes = digits(text, from + (hasColon ? 4 : 3), 2);
  return hours > 23 || minutes > 59 ? Number.NaN : (hours * 60 + minutes) * (sign === '-' ? -1 : 1);
};

const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const daysIn = (year: number, month: number): number =>
  month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : (MONTHS[month - 1] ?? 0);

/** Parses RFC 3339 with any offset and any fraction; null for anything else, an impossible date included. */
export const parseInstant = (text: string): PrintedInstant | null => {
  const isShaped =
    text[4] === '-' &&
    text[7] === '-' &&
    (text[10] === 'T' || text[10] === 't' || text[10] === ' ') &&
    text[13] === ':' &&
    text[16] === ':';
  if (!isShaped) return null;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)];
  if (!(month >= 1 && day >= 1 && day <= daysIn(year, month) && hour <= 23 && minute <= 59 && second <= 60))
    return null;
  let end = 19;
  let grainMs = 1000;
  if (text[19] === '.') {
    end = 20;
    while (text.charCodeAt(end) >= ZERO && text.charCodeAt(end) <= ZERO + 9) end += 1;
    if (end === 20 || end > 32) return null;
    grainMs = 10 ** (23 - end);
  }
  const offset = offsetMinutes(text, end);
  if (Number.isNaN(offset)) return null;
  const fractionMs = end === 19 ? 0 : digits(text, 20, end - 20) * grainMs;
  // Date.UTC reads years below 100 as 19xx; no instant here is that old.
  const startMs = Date.UTC(year, month - 1, day, hour, minute - offset, second) + fractionMs;
  return { startMs, endMs: startMs + grainMs };
};

/** The instant's first millisecond, whole; null where the text is no instant. */
export const instantMs = (text: string): number | null => {
  const instant = parseInstant(text);
  return instant === null ? null : Math.floor(instant.startMs);
};

/** `2026-09-01T12:00:00.350Z` */
export const printInstant = (ms: number): string => new Date(ms).toISOString();
