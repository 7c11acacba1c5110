/** An exact decimal: `units` × 10^-`scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^(-?)(\d{0,40})(?:\.(\d{0,40}))?$/;

const parse = (text: string): Decimal | null => {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = ''] = match;
  if (whole === '' && fraction === '') return null;
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, scale: fraction.length };
};

const align = (a: Decimal, b: Decimal): [bigint, bigint, number] => {
  const scale = Math.max(a.scale, b.scale);
  return [a.units * 10n ** BigInt(scale - a.scale), b.units * 10n ** BigInt(scale - b.scale), scale];
};

/** -1, 0 or 1; null where either text is no plain decimal. `"10.0"` equals `"10.00"`. */
export const compareDecimals = (left: string, right: string): -1 | 0 | 1 | null => {
  if (left === right && DECIMAL.test(left) && /\d/.test(left)) return 0;
  const a = parse(left);
  const b = parse(right);
  if (a === null || b === null) return null;
  const [x, y] = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
};

/** The exact sum; null where any text is no plain decimal. The sum of none is `"0"`. */
export const sumDecimals = (texts: readonly string[]): string | null => {
  let total: Decimal = { units: 0n, scale: 0 };
  for (const text of texts) {
    const value = parse(text);
    if (value === null) return null;
    const [x, y, scale] = align(total, value);
    total = { units: x + y, scale };
  }
  const digits = (total.units < 0n ? -total.units : total.units).toString().padStart(total.scale + 1, '0');
  const sign = total.units < 0n ? '-' : '';
  if (total.scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -total.scale)}.${digits.slice(-total.scale)}`;
};

/** The decimal text of a JSON number or string; null for anything else. */
export const decimalText = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && Number.isFinite(value)) {
    const text = String(value);
    return text.includes('e') ? null : text;
  }
  return null;
};
