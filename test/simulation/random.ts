/** A 32-bit digest of a text (FNV-1a), to give every use of chance a stream of its own. */
const digest32 = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/** splitmix32: spreads a seed that is small or close to another over all bits. */
const splitmix = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
};

/**
 * Chance from a seed (sfc32). The same seed gives the same draws on every machine. Use `fork` for every part that draws on
 * its own, so that one more draw in one part does not change the others.
 */
export class Random {
  readonly seed: number;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    const next = splitmix(this.seed);
    [this.#a, this.#b, this.#c] = [next(), next(), next()];
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** An independent stream, named. It does not depend on what was drawn before. */
  fork(name: string): Random {
    return new Random(digest32(`${this.seed}/${name}`));
  }

  /** at least 0, less than 1 */
  next(): number {
    const sum = (((this.#a + this.#b) >>> 0) + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0;
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) >>> 0;
    this.#c = (this.#c + sum) >>> 0;
    return sum / 4_294_967_296;
  }

  /** a whole number from `least` to `most`, both included */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.int(0, list.length - 1)];
    if (chosen === undefined) throw new TypeError('nothing to pick from');
    return chosen;
  }

  /** `length` characters of `alphabet` */
  text(alphabet: string, length: number): string {
    let text = '';
    for (let index = 0; index < length; index += 1) text += alphabet[this.int(0, alphabet.length - 1)];
    return text;
  }
}
