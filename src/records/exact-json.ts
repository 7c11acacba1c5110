import type { Json } from '../evaluator/index.ts';
import { setOwn } from './own-property.ts';

/** An int64 has 19 digits. A longer integer than 40 stays text: turning a megabyte of digits into a number takes seconds. */
const LONG_INTEGER = /^-?[1-9]\d{15,39}$/;
/** So many significant digits are exact as a double. */
const EXACT_DIGITS = 15;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const EXPONENT = 0x65;
const LOWER_CASE = 0x20;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Gives the numbers of a parsed JSON text back the digits that a double lost. One look over the text, strings skipped whole,
 * keeps the place it is at; only the fields that hold such a number are touched.
 * @param text must be JSON, nested no deeper than the stack allows
 * @param parsed what JSON.parse made of it: changed in place, and returned unless it is a number itself
 */
export const restoreDigits = (text: string, parsed: Json): Json => {
  const place = new Place(text);
  let value = parsed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = closingQuote(text, at);
      place.string(at, end);
      at = end;
    } else if (unit === COLON) place.inValue();
    else if (unit === COMMA) place.next();
    else if (unit === OPEN_OBJECT) place.enter(false);
    else if (unit === OPEN_ARRAY) place.enter(true);
    else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) place.leave();
    else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const start = at;
      let hasExponent = false;
      for (let next = text.charCodeAt(at + 1); isOfNumber(next); next = text.charCodeAt(at + 1)) {
        hasExponent ||= (next | LOWER_CASE) === EXPONENT;
        at += 1;
      }
      if (hasExponent || at - start >= EXACT_DIGITS) value = place.restore(value, text.slice(start, at + 1));
    }
  }
  return value;
};

/** Strings are short here: a plain loop finds their end sooner than a native search. */
const closingQuote = (text: string, open: number): number => {
  let at = open + 1;
  for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(at)) at += unit === BACKSLASH ? 2 : 1;
  return at;
};

const isOfNumber = (unit: number): boolean =>
  (unit >= ZERO && unit <= NINE) ||
  unit === POINT ||
  unit === MINUS ||
  unit === PLUS ||
  (unit | LOWER_CASE) === EXPONENT;

/** Where in the value the text is: for each open bracket the key's place in the text, or the element's index. */
class Place {
  readonly #text: string;
  /** the opening quote of the key; -1 in an array */
  readonly #keys: number[] = [];
  /** the closing quote of the key; the index in an array */
  readonly #ends: number[] = [];
  /** the parsed value of each open bracket, known up to the level `#known` */
  readonly #holders: (Json | undefined)[] = [];
  #known = -1;
  #depth = -1;
  #isInValue = false;

  constructor(text: string) {
    this.#text = text;
  }

  enter(isArray: boolean): void {
    this.#depth += 1;
    this.#keys[this.#depth] = isArray ? -1 : 0;
    this.#ends[this.#depth] = 0;
    this.#isInValue = isArray;
  }

  leave(): void {
    this.#depth -= 1;
    if (this.#known > this.#depth) this.#known = this.#depth;
    this.#isInValue = true;
  }

  next(): void {
    const isArray = this.#keys[this.#depth] === -1;
    if (isArray) this.#ends[this.#depth] = (this.#ends[this.#depth] as number) + 1;
    this.#isInValue = isArray;
  }

  inValue(): void {
    this.#isInValue = true;
  }

  string(open: number, close: number): void {
    if (this.#isInValue || this.#depth < 0) return;
    this.#keys[this.#depth] = open;
    this.#ends[this.#depth] = close;
  }

  restore(value: Json, literal: string): Json {
    const exact = exactNumber(literal);
    if (this.#depth < 0) return exact;
    const holder = this.#holderOf(value);
    const step = this.#step(this.#depth);
    // Of a key that is repeated the last value stands; what came before it has no place any more.
    if (memberOf(holder, step) === Number(literal)) setOwn(holder as Record<string, Json>, String(step), exact);
    return value;
  }

  #holderOf(value: Json): Json | undefined {
    if (this.#known < 0) this.#holders[0] = value;
    for (let level = Math.max(this.#known, 0); level < this.#depth; level += 1)
      this.#holders[level + 1] = memberOf(this.#holders[level], this.#step(level));
    this.#known = this.#depth;
    return this.#holders[this.#depth];
  }

  #step(level: number): string | number {
    const end = this.#ends[level] as number;
    const open = this.#keys[level] as number;
    if (open === -1) return end;
    const key = this.#text.slice(open + 1, end);
    return key.includes('\\') ? JSON.parse(`"${key}"`) : key;
  }
}

const memberOf = (holder: Json | undefined, step: string | number): Json | undefined =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step)
    ? (holder as Record<string | number, Json>)[step]
    : undefined;

const exactNumber = (literal: string): number | bigint | string => {
  if (LONG_INTEGER.test(literal)) return BigInt(literal);
  const digits = literal
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  if (digits.length > EXACT_DIGITS) return literal;
  const number = Number(literal);
  const isHeld = Number.isFinite(number) && (number !== 0 || digits === '');
  return isHeld ? number : literal;
};
