/** What the sandbox remembers of one kind of thing at most. */
export const REMEMBERED_MAX = 100_000;

/** A map that forgets what was put in first, where it would grow past `max`: a sandbox may run for weeks under load. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #max: number;

  constructor(max = REMEMBERED_MAX) {
    super();
    this.#max = max;
  }

  override set(key: string, value: Value): this {
    const [oldest] = this.size >= this.#max && !this.has(key) ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}
