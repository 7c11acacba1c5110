import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { VerdictRecord } from 'countersign';
import { actOnVerdict, type Held, type Posting } from './act-on-verdict.ts';

interface Content {
  readonly operations: Record<string, Held>;
  readonly postings: Posting[];
}

const read = (path: string): Content => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { operations: {}, postings: [] };
    throw error;
  }
};

const heldIn = (operations: Content['operations'], operation: string): Held | null =>
  Object.hasOwn(operations, operation) ? (operations[operation] ?? null) : null;

const sync = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

/**
 * A ledger in one file, its postings and the last revision of each operation together. The file is written anew beside the old one and
 * put in its place: a crash leaves the one or the other, and never a posting without the revision that made it.
 */
export class LedgerFile {
  readonly #path: string;
  #content: Content;

  constructor(path: string) {
    this.#path = path;
    this.#content = read(path);
  }

  get postings(): readonly Posting[] {
    return this.#content.postings;
  }

  held(operation: string): Held | null {
    return heldIn(this.#content.operations, operation);
  }

  /** Acts on verdicts and keeps what came of it, or else throws and holds what it held. Once it returns, offsets may be committed. */
  apply(verdicts: readonly VerdictRecord[]): void {
    const operations = { ...this.#content.operations };
    const postings = [...this.#content.postings];
    for (const verdict of verdicts) {
      const operation = `${verdict.payment_key}/${verdict.operation_id}`;
      const news = actOnVerdict(operation, heldIn(operations, operation), verdict);
      if (news === null) continue;
      operations[operation] = news.held;
      postings.push(...news.postings);
    }
    this.#save({ operations, postings });
  }

  #save(content: Content): void {
    const beside = `${this.#path}.new`;
    writeFileSync(beside, `${JSON.stringify(content, null, 1)}\n`);
    sync(beside);
    renameSync(beside, this.#path);
    sync(dirname(this.#path));
    this.#content = content;
  }
}
