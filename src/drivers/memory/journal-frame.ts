import { crc32 } from 'node:zlib';

/** First line of every journal; its number is the version of the form. */
export const JOURNAL_MAGIC = 'countersign-journal 1\n';

/** `<length> <crc32> `, eight hexadecimal digits each, before the payload. */
export const FRAME_HEADER_BYTES = 18;

/** Largest payload of one entry: above the largest record that is read. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

const LF = 10;
const HEADER = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/;

const hex = (value: number): string => value.toString(16).padStart(8, '0');

/** One entry as it stands in the file: `<length> <crc32> <payload>\n`, with length and CRC over the payload's bytes. */
export const frameEntry = (payload: string): Buffer => {
  const bytes = Buffer.from(payload, 'utf8');
  if (bytes.length > MAX_ENTRY_BYTES) throw new RangeError(`a journal entry has at most ${MAX_ENTRY_BYTES} bytes`);
  return Buffer.concat([Buffer.from(`${hex(bytes.length)} ${hex(crc32(bytes))} `, 'latin1'), bytes, Buffer.from('\n')]);
};

export type Frame =
  | { readonly form: 'entry'; readonly payload: string; readonly end: number }
  /** the bytes end before the entry does */
  | { readonly form: 'short' }
  | { readonly form: 'bad' };

/** Reads the entry that begins at `start`. */
export const readFrame = (bytes: Buffer, start: number): Frame => {
  if (bytes.length - start < FRAME_HEADER_BYTES) return { form: 'short' };
  const header = HEADER.exec(bytes.toString('latin1', start, start + FRAME_HEADER_BYTES));
  if (header === null) return { form: 'bad' };
  const length = Number.parseInt(header[1] ?? '', 16);
  if (length > MAX_ENTRY_BYTES) return { form: 'bad' };
  const from = start + FRAME_HEADER_BYTES;
  const end = from + length + 1;
  if (bytes.length < end) return { form: 'short' };
  const payload = bytes.subarray(from, end - 1);
  if (bytes[end - 1] !== LF || crc32(payload) !== Number.parseInt(header[2] ?? '', 16)) return { form: 'bad' };
  return { form: 'entry', payload: payload.toString('utf8'), end };
};

/** Whether a whole, right entry begins anywhere in `bytes` at the start of a line behind `from`. */
export const holdsEntryAfter = (bytes: Buffer, from: number): boolean => {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (readFrame(bytes, at + 1).form === 'entry') return true;
  }
  return false;
};
