import { isUtf8 } from 'node:buffer';

/** A raw body as a record holds it: text where the bytes are UTF-8, else base64. */
export type RawBody = { readonly body: string } | { readonly body_base64: string };

export const rawBody = (bytes: Uint8Array): RawBody => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? { body: buffer.toString('utf8') } : { body_base64: buffer.toString('base64') };
};
