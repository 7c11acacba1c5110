const OFFSET = /^([+-])(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const isOffset = (text: string): boolean => OFFSET.test(text);

/** Milliseconds of a relative time: `+1.5s`, `+10m`, `+3d`, `-200ms`. Throws a TypeError on anything else. */
export const offsetMs = (text: string): number => {
  const match = OFFSET.exec(text);
  const unit = UNIT_MS[match?.[3] ?? ''];
  if (match === null || unit === undefined) throw new TypeError(`${text} is no relative time such as +1.5s`);
  const ms = Math.round(Number(match[2]) * unit);
  return match[1] === '-' ? -ms : ms;
};
