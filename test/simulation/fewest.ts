/**
 * The fewest of `all` that still show what `find` finds (delta debugging: leave out halves, quarters, … single ones). Answers
 * with what it found with them; null where it does not even find it with all.
 *
 * @param tries after so many it answers with the best so far
 */
export const fewest = async <Item, Found>(
  all: readonly Item[],
  find: (some: readonly Item[]) => Promise<Found | null> | Found | null,
  tries: number,
): Promise<{ readonly items: readonly Item[]; readonly found: Found } | null> => {
  let left = tries - 1;
  const first = await find(all);
  if (first === null) return null;
  let best = { items: all, found: first };
  for (let parts = 2; left > 0 && best.items.length > 0; ) {
    const { items } = best;
    const size = Math.ceil(items.length / parts);
    let smaller: typeof best | null = null;
    for (let from = 0; from < items.length && left > 0; from += size) {
      const some = [...items.slice(0, from), ...items.slice(from + size)];
      left -= 1;
      const found = await find(some);
      if (found === null) continue;
      smaller = { items: some, found };
      break;
    }
    if (smaller !== null) {
      best = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(items.length, parts * 2);
  }
  return best;
};
