import type { Json } from '../evaluator/index.ts';
import { endOfString } from './json-scan.ts';
import { setOwn } from './own-property.ts';

const NUMBER = /[-+.\deE]+/y;
/** An int64 has 19 digits. A longer integer than this stays text: turning a megabyte of digits into a number takes seconds. */
const INTEGER_DIGITS_MAX = 40;

const WORDS = { t: true, f: false, n: null } as const;
const WORD_LENGTHS = { t: 4, f: 5, n: 4 } as const;

/**
 * Reads a JSON text in which some number is longer than a double holds. The text must be JSON (JSON.parse has accepted it)
 * and nested no deeper than the stack allows: this only looks at what the syntax leaves open. Repeated keys: the last wins,
 * as with JSON.parse.
 */
export const readExactJson = (text: string): Json => new ExactReader(text).value();

class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Json {
    const first = this.#next();
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string();
    if (first === 't' || first === 'f' || first === 'n') {
      this.#at += WORD_LENGTHS[first];
      return WORDS[first];
    }
    return this.#number();
  }

  #object(): Json {
    const object: Record<string, Json> = {};
    this.#at += 1;
    while (this.#next() !== '}') {
      if (this.#next() === ',') this.#at += 1;
      this.#next();
      const key = this.#string();
      this.#next();
      this.#at += 1;

      setOwn(object, key, this.value());
    }
    this.#at += 1;
    return object;
  }

  #array(): Json {
    const array: Json[] = [];
    this.#at += 1;
    while (this.#next() !== ']') {
      if (this.#next() === ',') this.#at += 1;
      array.push(this.value());
    }
    this.#at += 1;
    return array;
  }

  #string(): string {
    const end = endOfString(this.#text, this.#at);
    const literal = this.#text.slice(this.#at, end + 1);
    this.#at = end + 1;
    return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
  }

  #number(): Json {
    NUMBER.lastIndex = this.#at;
    NUMBER.test(this.#text);
    const literal = this.#text.slice(this.#at, NUMBER.lastIndex);
    this.#at = NUMBER.lastIndex;
    return exactNumber(literal);
  }

  /** Skips white space; the character that follows. */
  #next(): string {
    while (' \n\r\t'.includes(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.charAt(this.#at);
  }
}

const exactNumber = (literal: string): number | bigint | string => {
  const digits = literal
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  if (digits.length > 15) {
    return digits.length <= INTEGER_DIGITS_MAX && !/[.eE]/.test(literal) ? BigInt(literal) : literal;
  }
  const number = Number(literal);
  const isHeld = Number.isFinite(number) && (number !== 0 || digits === '');
  return isHeld ? number : literal;
};
