const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz';

/** Numbers and ids that depend on the seed alone (mulberry32), so that a log is the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Whether what happens once in `times` happens. */
  isOneIn(times: number): boolean {
    return this.next() * times < 1;
  }

  /** Upper-case letters and digits, as PayPal prints ids. */
  id(length: number): string {
    return this.#text(length, 36);
  }

  /** Letters and digits of any case, as Square and Stripe print ids. */
  mixedId(length: number): string {
    return this.#text(length, 62);
  }

  /** A number of `length` digits that does not begin with 0. */
  digits(length: number): string {
    let text = String(1 + this.below(9));
    while (text.length < length) text += String(this.below(10));
    return text;
  }

  #text(length: number, letters: number): string {
    let text = '';
    for (let at = 0; at < length; at += 1) text += ALPHABET[this.below(letters)] ?? '';
    return text;
  }
}
