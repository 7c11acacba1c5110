/** The few DER forms (X.690) that a certificate is written in. */

/** A tag, the length of its content, and the content. */
export const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);

export const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));

export const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), tlv(0x05));

/** A distinguished name of one common name. */
export const commonName = (name: string): Buffer =>
  sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))));

/** UTCTime (`260901120000Z`) of an RFC 3339 instant from 1950 to 2049. */
export const utcTime = (instant: string): Buffer =>
  tlv(0x17, Buffer.from(`${new Date(instant).toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));

export const bitString = (bytes: Uint8Array): Buffer => tlv(0x03, Buffer.from([0]), bytes);

export const pemOf = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
};
