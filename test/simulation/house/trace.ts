import { createHash, type Hash } from 'node:crypto';

/** What happened, line by line: kept whole where somebody wants to read it, and always as a digest. */
export class Trace {
  readonly lines: string[] = [];
  readonly #hash: Hash = createHash('sha256');
  readonly #isKept: boolean;
  count = 0;

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  add(mono: number, who: string, what: string): void {
    const line = `${mono.toFixed(3)} ${who} ${what}`;
    this.count += 1;
    this.#hash.update(`${line}\n`);
    if (this.#isKept) this.lines.push(line);
  }

  /** of every line so far; the same in every run of a seed */
  get digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
