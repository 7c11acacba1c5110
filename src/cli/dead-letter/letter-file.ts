import { existsSync } from 'node:fs';
import { readLines } from '../../drivers/files/input-file.ts';
import type { DataFolder } from '../serve/data-folder.ts';
import type { DeadLetterLine } from '../serve/dead-letter-file.ts';
import type { LetterHead } from './print.ts';

/** A letter that the embedded mode set aside. */
export interface FiledLetter {
  /** its id is the line that it stands on, from 1 */
  readonly head: LetterHead;
  readonly value: Uint8Array | null;
}

const bytesOf = ({ value, base64 }: DeadLetterLine): Uint8Array | null => {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return value === null ? null : Buffer.from(value, 'utf8');
};

/** The letters of a data folder, oldest first, whether or not a `serve` works on it. None where it has set nothing aside. */
export async function* readLetterFile(folder: DataFolder): AsyncGenerator<FiledLetter> {
  if (!existsSync(folder.deadLetters)) return;
  let id = 0;
  for await (const lines of readLines(folder.deadLetters)) {
    for (const line of lines) {
      id += 1;
      // The last line of a file that is being written to may be half of one.
      if (line.form !== 'text' || !line.text.endsWith('}')) continue;
      const letter = JSON.parse(line.text) as DeadLetterLine;
      const { at, code, reason, topic, key } = letter;
      const head = { id: String(id), at, code, reason, topic, partition: null, offset: null, key, redriven: false };
      yield { head, value: bytesOf(letter) };
    }
  }
}
