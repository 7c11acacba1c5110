/**
 * A printed instant. It names an interval of its own precision: `12:00:00Z` is anywhere in that second.
 * Both are milliseconds since the epoch; `endMs` is exclusive.
 */
export interface PrintedInstant {
  readonly startMs: number;
  readonly endMs: number;
}

const ZERO = 48;
const NINE = 57;
const POINT = 46;
const COLON = 58;
const PLUS = 43;
const MINUS = 45;
const SPACE = 32;
const UPPER_T = 84;
const UPPER_Z = 90;
/** What makes a letter lower case. */
const LOWER_CASE = 32;

const DAY_MS = 86_400_000;

/** The number that two digits at `from` spell; NaN where one of them is no digit. */
const twoDigits = (text: string, from: number): number => {
  const tens = text.charCodeAt(from) - ZERO;
  const ones = text.charCodeAt(from + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
};

/** Minutes east of UTC that the offset at `from` spells; NaN for none. `Z`, `z`, `+02:00`, `-0700`. */
const offsetMinutes = (text: string, from: number): number => {
  const sign = text.charCodeAt(from);
  const rest = text.length - from - 1;
  if ((sign & ~LOWER_CASE) === UPPER_Z) return rest === 0 ? 0 : Number.NaN;
  if (sign !== PLUS && sign !== MINUS) return Number.NaN;
  const hasColon = rest === 5 && text.charCodeAt(from + 3) === COLON;
  if (!hasColon && rest !== 4) return Number.NaN;
  const hours = twoDigits(text, from + 1);
  const minutes = twoDigits(text, from + (hasColon ? 4 : 3));
  return hours <= 23 && minutes <= 59 ? (hours * 60 + minutes) * (sign === MINUS ? -1 : 1) : Number.NaN;
};

const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** days of a common year before each month */
const BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
/** days from 0001-01-01 to 1970-01-01 */
const EPOCH_DAYS = 719_162;

/** Days since the epoch; NaN for a day that there is not. */
const epochDays = (year: number, month: number, day: number): number => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = (MONTHS[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0);
  if (!(day >= 1 && day <= length)) return Number.NaN;
  const years = year - 1;
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leaps + Number(BEFORE[month - 1]) + (month > 2 && isLeap ? 1 : 0) + day - 1 - EPOCH_DAYS;
};

const isShaped = (text: string): boolean => {
  const between = text.charCodeAt(10);
  return (
    text.charCodeAt(4) === MINUS &&
    text.charCodeAt(7) === MINUS &&
    ((between & ~LOWER_CASE) === UPPER_T || between === SPACE) &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  );
};

/** Parses RFC 3339 with any offset and any fraction; null for anything else, an impossible date included. */
export const parseInstant = (text: string): PrintedInstant | null => {
  if (!isShaped(text)) return null;
  const days = epochDays(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8));
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return null;
  let end = 19;
  let grainMs = 1000;
  let fraction = 0;
  if (text.charCodeAt(19) === POINT) {
    end = 20;
    for (let digit = text.charCodeAt(end); digit >= ZERO && digit <= NINE; digit = text.charCodeAt(end)) {
      fraction = fraction * 10 + digit - ZERO;
      end += 1;
    }
    if (end === 20 || end > 32) return null;
    grainMs = 10 ** (23 - end);
  }
  const startMs =
    days * DAY_MS + ((hour * 60 + minute - offsetMinutes(text, end)) * 60 + second) * 1000 + fraction * grainMs;
  return Number.isNaN(startMs) ? null : { startMs, endMs: startMs + grainMs };
};

/** The instant's first millisecond, whole; null where the text is no instant. */
export const instantMs = (text: string): number | null => {
  const instant = parseInstant(text);
  return instant === null ? null : Math.floor(instant.startMs);
};

const TWO = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** The day that was printed last: a log's instants mostly lie in one. */
let printed = { day: Number.NaN, text: '' };

/** `2026-09-01T12:00:00.350Z`. Throws a RangeError for what no date can be. */
export const printInstant = (ms: number): string => {
  const whole = Math.trunc(ms);
  const day = Math.floor(whole / DAY_MS);
  if (day !== printed.day) printed = { day, text: new Date(ms).toISOString().slice(0, -13) };
  const time = whole - day * DAY_MS;
  const seconds = Math.floor(time / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${printed.text}${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}.${THREE[time % 1000]}Z`;
};
