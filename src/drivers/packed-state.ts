import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { OperatingError } from '../errors.ts';
import { STATE_DICTIONARY } from './state-dictionary.ts';

/** The first byte of a compressed value, and the number of the dictionary that it was made with. Plain states begin with `[`. */
const COMPRESSED = 0x01;

/** Shorter values gain nothing. */
const LEAST_LENGTH = 256;

/**
 * Little memory: a state is some kilobytes, and the usual window costs more to set up than to use; and 16 KB to put half a
 * kilobyte in are mostly garbage.
 */
const OPTIONS = { level: 6, memLevel: 5, windowBits: 13, chunkSize: 2_048, dictionary: STATE_DICTIONARY };

const looksCompressed = (value: string): boolean => value.charCodeAt(0) === COMPRESSED;

/**
 * A state as it is held for long. One that is settled, so that nothing is expected to touch it for weeks, is compressed to a third;
 * one that is about to change again stays as it is, since compressing costs as much as reducing.
 */
export const packState = (value: string, isSettled: boolean): string | Buffer => {
  if (!looksCompressed(value) && (!isSettled || value.length < LEAST_LENGTH)) return value;
  return Buffer.concat([Buffer.of(COMPRESSED), deflateRawSync(value, OPTIONS)]);
};

/** The inverse of {@link packState}. Throws STATE_UNAVAILABLE for a compressed value that is broken. */
export const unpackState = (paymentKey: string, bytes: Buffer): string => {
  if (bytes[0] !== COMPRESSED) return bytes.toString('utf8');
  try {
    return inflateRawSync(bytes.subarray(1), OPTIONS).toString('utf8');
  } catch (cause) {
    const problem = `the stored state of ${paymentKey} is compressed in a way that this version does not read`;
    throw new OperatingError('STATE_UNAVAILABLE', problem, { cause, context: { paymentKey } });
  }
};
