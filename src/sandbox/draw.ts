import { createHash } from 'node:crypto';

const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';
const MIXED = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const DIGITS = '0123456789';

/**
 * Chance from a seed, by name: what one thing draws does not depend on what others drew before, so that calls which come in
 * another order change nothing but what they are about.
 */
export class Draw {
  readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
  }

  bytes(name: string, length: number): Buffer {
    const parts: Buffer[] = [];
    for (let block = 0; parts.length * 32 < length; block += 1) {
      parts.push(createHash('sha256').update(`countersign sandbox/${this.seed}/${name}/${block}`).digest());
    }
    return Buffer.concat(parts).subarray(0, length);
  }

  /** at least 0, less than 1 */
  share(name: string): number {
    return this.bytes(name, 4).readUInt32BE() / 4_294_967_296;
  }

  /** a whole number, both ends included */
  between(name: string, least: number, most: number): number {
    return least + Math.floor(this.share(name) * (most - least + 1));
  }

  /** upper-case letters and digits, as PayPal prints ids */
  upper(name: string, length: number): string {
    return this.#text(name, length, UPPER);
  }

  /** letters of both cases and digits, as Square and Stripe print ids */
  mixed(name: string, length: number): string {
    return this.#text(name, length, MIXED);
  }

  /** digits, the first of them not 0 */
  digits(name: string, length: number): string {
    return `${this.#text(`${name}/first`, 1, '123456789')}${this.#text(name, length - 1, DIGITS)}`;
  }

  uuid(name: string): string {
    const hex = this.bytes(name, 16).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
      '-',
    );
  }

  #text(name: string, length: number, alphabet: string): string {
    return [...this.bytes(name, length)].map((byte) => alphabet[byte % alphabet.length] ?? '').join('');
  }
}
