import { createHash } from 'node:crypto';

/** Bytes that depend on nothing but the name: the same day is made on every machine. */
export const seededBytes = (name: string, length: number): Buffer => {
  const parts: Buffer[] = [];
  for (let block = 0; parts.length * 32 < length; block += 1) {
    parts.push(createHash('sha256').update(`countersign demo day/${name}/${block}`).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
};

const pick = (name: string, length: number, alphabet: string): string =>
  [...seededBytes(name, length)].map((byte) => alphabet[byte % alphabet.length] ?? '').join('');

/** Upper-case letters and digits, as PayPal prints ids. */
export const seededId = (name: string, length: number): string =>
  pick(name, length, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789');

/** Letters and digits of any case, as Square and Stripe print ids. */
export const seededMixed = (name: string, length: number): string =>
  pick(name, length, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');

/** A number of `length` digits that does not begin with 0. */
export const seededDigits = (name: string, length: number): string =>
  `${pick(`${name}/first`, 1, '123456789')}${pick(name, length - 1, '0123456789')}`;

/** A whole number from 0 to `below` - 1. */
export const seededNumber = (name: string, below: number): number => seededBytes(name, 4).readUInt32BE() % below;
