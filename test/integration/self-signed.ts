import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const bitString = (bytes: Buffer): Buffer => der(0x03, Buffer.from([0]), bytes);
const octets = (bytes: Buffer): Buffer => der(0x04, bytes);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const generalizedTime = (at: Date): Buffer =>
  der(0x18, Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));

const COMMON_NAME = identifier('550403');
const SUBJECT_ALT_NAME = identifier('551d11');
const BASIC_CONSTRAINTS = identifier('551d13');
const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
const TRUE = der(0x01, Buffer.from([0xff]));

const DAY_MS = 86_400_000;

const certificateOf = (publicKey: KeyObject, privateKey: KeyObject): Buffer => {
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('loopback')))));
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))),
    sequence(SUBJECT_ALT_NAME, octets(sequence(der(0x87, Buffer.from([127, 0, 0, 1]))))),
  );
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(generalizedTime(new Date(Date.now() - DAY_MS)), generalizedTime(new Date(Date.now() + DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  return sequence(toSign, ECDSA_WITH_SHA256, bitString(sign('sha256', toSign, privateKey)));
};

/** A certificate of 127.0.0.1 that signs itself, valid today, with its key; both PEM. */
export const selfSigned = (): { readonly certificate: string; readonly key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const base64 = certificateOf(publicKey, privateKey).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
