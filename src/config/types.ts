import { z } from 'zod';

/** A whole number of milliseconds, at least `least`. */
export const milliseconds = (least: number) => z.int().min(least);

/** `host:port`, IPv6 hosts in brackets. */
export const hostAndPort = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+):\d{1,5}$/);

/** A name that goes into topic names and Redis keys. */
export const plainName = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/);

/** An absolute URL of one of the protocols (without the colon). */
export const urlOf = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)), {
    error: 'not such a URL',
  });

/** PEM text: certificates, keys. */
export const pem = z.string().regex(/-----BEGIN [A-Z0-9 ]+-----/);
