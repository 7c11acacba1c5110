import { createHash } from 'node:crypto';
import { JsonLinesFile } from '../../drivers/files/json-lines-file.ts';
import type { EmbeddedDeadLetter } from '../../drivers/memory/embedded-pipeline.ts';

/** A line of the file. */
export interface DeadLetterLine {
  readonly at: string;
  readonly code: string;
  readonly reason: string;
  /** null: the line was no record of any topic */
  readonly topic: string | null;
  readonly key: string | null;
  /** the record's text as it came; base64 where it was not UTF-8 */
  readonly value: string | null;
  readonly base64?: string;
}

const digestOf = ({ topic, key, value, code }: Pick<DeadLetterLine, 'topic' | 'key' | 'value' | 'code'>): string =>
  createHash('sha256')
    .update(JSON.stringify([topic, key, value, code]))
    .digest('base64url');

/**
 * Where the embedded pipeline sets records aside, one a line. A replayed journal tells of them again: each is in the file as
 * often as it came, not more.
 */
export class DeadLetterFile {
  readonly #file: JsonLinesFile;
  /** digest → lines of the file that the replay has not told of yet */
  #held: Map<string, number>;

  private constructor(file: JsonLinesFile, held: Map<string, number>) {
    this.#file = file;
    this.#held = held;
  }

  /** Throws JOURNAL_UNWRITABLE. */
  static async open(path: string): Promise<DeadLetterFile> {
    const held = new Map<string, number>();
    const file = await JsonLinesFile.open(path, (line) => {
      const digest = digestOf(JSON.parse(line) as DeadLetterLine);
      held.set(digest, (held.get(digest) ?? 0) + 1);
    });
    return new DeadLetterFile(file, held);
  }

  /** Takes a record that the pipeline set aside; answers whether it is a new line. */
  take({ input, code, reason, isRecovered }: EmbeddedDeadLetter): boolean {
    const line = { code, reason, topic: input.topic, key: input.key ?? null, value: input.value };
    if (isRecovered) {
      const digest = digestOf(line);
      const left = this.#held.get(digest) ?? 0;
      this.#held.set(digest, left - 1);
      if (left > 0) return false;
    }
    this.#write(line);
    return true;
  }

  /** Takes a line of input that never became a record. */
  refuse(line: Omit<DeadLetterLine, 'at'>): void {
    this.#write(line);
  }

  /** The journal is replayed: every further one is new. */
  recovered(): void {
    this.#held = new Map();
  }

  close(): void {
    this.#file.close();
  }

  #write(line: Omit<DeadLetterLine, 'at'>): void {
    this.#file.append(JSON.stringify({ at: new Date().toISOString(), ...line }));
  }
}
