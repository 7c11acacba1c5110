import type { Draw } from './draw.ts';

interface Ruled {
  readonly when: { readonly nth?: number | undefined; readonly share?: number | undefined };
}

/**
 * The rules of one kind. The first that applies is taken; each counts all that meets the rest of its conditions, so that `nth`
 * means the same whatever stands before it.
 */
export class RuleBook<Rule extends Ruled> {
  readonly #draw: Draw;
  readonly #name: string;
  #rules: { readonly rule: Rule; count: number }[];

  /** @param name tells its draws from those of other books */
  constructor(draw: Draw, name: string, rules: readonly Rule[]) {
    this.#draw = draw;
    this.#name = name;
    this.#rules = rules.map((rule) => ({ rule, count: 0 }));
  }

  /** Adds a rule that comes before all others. */
  add(rule: Rule): void {
    this.#rules = [{ rule, count: 0 }, ...this.#rules];
  }

  /** Takes every rule away. */
  clear(): void {
    this.#rules = [];
  }

  /**
   * @param meets whether the rest of a rule's conditions hold
   * @param about names what is asked for, the same in each run: its share is drawn by it
   */
  find(meets: (rule: Rule) => boolean, about: string): Rule | null {
    let found: Rule | null = null;
    for (const [index, entry] of this.#rules.entries()) {
      if (!meets(entry.rule)) continue;
      entry.count += 1;
      const { nth, share } = entry.rule.when;
      if (nth !== undefined && nth !== entry.count) continue;
      if (share !== undefined && this.#draw.share(`${this.#name}/${index}/${about}`) >= share) continue;
      found ??= entry.rule;
    }
    return found;
  }
}

/** Whether each condition that a rule states is what is the case. */
export const meetsAll = (stated: Readonly<Record<string, unknown>>, is: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(is).every(([name, value]) => stated[name] === undefined || stated[name] === value);
