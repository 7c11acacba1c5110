/**
 * A printed instant. It names an interval of its own precision: `12:00:00Z` is anywhere in that second.
 * Both are milliseconds since the epoch; `endMs` is exclusive.
 */
export interface PrintedInstant {
  readonly startMs: number;
  readonly endMs: number;
}

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,12}))?(?:([Zz])|([+-])(\d{2}):?(\d{2}))$/;

/** Parses RFC 3339 with any offset and any fraction; null for anything else, an impossible date included. */
export const parseInstant = (text: string): PrintedInstant | null => {
  const match = RFC_3339.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, zulu, sign, offsetHour, offsetMinute] = match;
  const seconds = Number(second);
  if (Number(hour) > 23 || Number(minute) > 59 || seconds > 60) return null;
  const dayMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(dayMs);
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  let offsetMs = 0;
  if (zulu === undefined) {
    if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null;
    offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  }
  const grainMs = fraction === undefined ? 1000 : 10 ** (3 - fraction.length);
  const fractionMs = fraction === undefined ? 0 : Number(fraction) * grainMs;
  const startMs = dayMs + Number(hour) * 3_600_000 + Number(minute) * 60_000 + seconds * 1000 + fractionMs - offsetMs;
  return { startMs, endMs: startMs + grainMs };
};

/** The instant's first millisecond, whole; null where the text is no instant. */
export const instantMs = (text: string): number | null => {
  const instant = parseInstant(text);
  return instant === null ? null : Math.floor(instant.startMs);
};

/** `2026-09-01T12:00:00.350Z` */
export const printInstant = (ms: number): string => new Date(ms).toISOString();
