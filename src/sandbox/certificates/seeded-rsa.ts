import { checkPrimeSync, createPrivateKey, type KeyObject } from 'node:crypto';

const EXPONENT = 65537n;

const toBigInt = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

const primeFrom = (seeded: Buffer): bigint => {
  const bytes = Buffer.from(seeded);
  bytes[0] = (bytes[0] ?? 0) | 0xc0;
  let candidate = toBigInt(bytes) | 1n;
  while ((candidate - 1n) % EXPONENT === 0n || !checkPrimeSync(candidate)) candidate += 2n;
  return candidate;
};

const inverse = (value: bigint, modulus: bigint): bigint => {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return x < 0n ? x + modulus : x;
};

const base64url = (value: bigint): string => {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
};

/**
 * An RSA key of 2048 bits made from bytes that anybody can make again, and so known to everyone: it may sign what a stand-in
 * sends, and must never sign anything else.
 *
 * @param bytes gives 128 bytes for each of the names `p` and `q`
 */
export const seededRsaKey = (bytes: (name: 'p' | 'q') => Buffer): KeyObject => {
  const p = primeFrom(bytes('p'));
  const q = primeFrom(bytes('q'));
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const jwk = {
    kty: 'RSA',
    n: base64url(p * q),
    e: base64url(EXPONENT),
    d: base64url(d),
    p: base64url(p),
    q: base64url(q),
    dp: base64url(d % (p - 1n)),
    dq: base64url(d % (q - 1n)),
    qi: base64url(inverse(q, p)),
  };
  return createPrivateKey({ key: jwk, format: 'jwk' });
};
