/** Edit distance, small words only. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The word that was likely meant: at most a third of its letters away; null where none is that close. */
export function nearest(word: string, words: readonly string[]): string | null {
  const ranked = words.map((candidate) => ({ candidate, away: distance(word.toLowerCase(), candidate.toLowerCase()) }));
  ranked.sort((a, b) => a.away - b.away);
  const best = ranked[0];
  return best !== undefined && best.away <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : null;
}
