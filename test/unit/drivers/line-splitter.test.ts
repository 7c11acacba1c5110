import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineSplitter } from '../../../src/drivers/files/line-splitter.ts';

const split = (chunks: readonly Buffer[], maxBytes?: number): Line[] => {
  const splitter = new LineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
};
const texts = (lines: readonly Line[]): string[] => lines.map((line) => (line.form === 'text' ? line.text : line.form));

describe('lines of a stream', () => {
  it('are the same wherever the stream is cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, '·')),
          { maxLength: 8 },
        ),
        fc.array(fc.nat(40), { maxLength: 8 }),
        (rows, cuts) => {
          const bytes = Buffer.from(rows.join('\n'));
          const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
          const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
          expect(split(chunks)).toEqual(split([bytes]));
        },
      ),
    );
  });

  it('leave out blank lines and count them', () => {
    expect(split([Buffer.from('a\n\n  \nb\n')])).toEqual([
      { form: 'text', number: 1, text: 'a' },
      { form: 'text', number: 4, text: 'b' },
    ]);
  });

  it('end at CRLF as at LF, and the last needs no end', () => {
    expect(texts(split([Buffer.from('a\r\nb\r\nc')]))).toEqual(['a', 'b', 'c']);
  });

  it('lose a byte order mark at the start of the stream alone', () => {
    expect(texts(split([Buffer.from('\uFEFFa\n\uFEFFb\n')]))).toEqual(['a', '\uFEFFb']);
  });

  it('keep NUL bytes for the parser to refuse', () => {
    expect(texts(split([Buffer.from('a\0b\n')]))).toEqual(['a\0b']);
  });

  it('hand on bytes that are not UTF-8 as bytes', () => {
    expect(split([Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a])])).toEqual([
      { form: 'not_utf8', number: 1, bytes: Buffer.from([0x61, 0xff]) },
      { form: 'text', number: 2, text: 'b' },
    ]);
  });

  it('that are too long are counted and let go, whole or in pieces, and the next one is read', () => {
    const long = Buffer.alloc(100, 'x');
    const pieces = [long.subarray(0, 40), long.subarray(40), Buffer.from('\nok\n')];
    const expected = [
      { form: 'too_long', number: 1, length: 100 },
      { form: 'text', number: 2, text: 'ok' },
    ];
    expect(split(pieces, 50)).toEqual(expected);
    expect(split([Buffer.concat(pieces)], 50)).toEqual(expected);
  });
});
