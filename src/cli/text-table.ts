/** A column of a table: its heading and its width in characters. */
export interface Column {
  readonly heading: string;
  readonly width: number;
  /** paints a cell's line after it has been laid out, e.g. with a colour */
  readonly paint?: (line: string) => string;
}

/** Breaks text into lines of at most `width` characters: between words where that can be, inside a word where it must. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (let word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length <= width) {
        line += ` ${word}`;
        continue;
      }
      if (line !== '') lines.push(line);
      for (; word.length > width; word = word.slice(width)) lines.push(word.slice(0, width));
      line = word;
    }
    lines.push(line);
  }
  return lines;
};

/** The heading of a table and a rule under it. */
export const tableHead = (columns: readonly Column[]): string =>
  [
    columns
      .map(({ heading, width }) => heading.padEnd(width))
      .join('  ')
      .trimEnd(),
    columns.map(({ width }) => '─'.repeat(width)).join('  '),
  ].join('\n');

/** One row, its cells wrapped to their columns. Linear in the row's text, so that a million rows can be printed. */
export const tableRow = (columns: readonly Column[], cells: readonly string[]): string => {
  const wrapped = columns.map(({ width }, index) => wrap(cells[index] ?? '', width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  const rows: string[] = [];
  for (let place = 0; place < height; place += 1) {
    const parts = columns.map(({ width, paint }, index) => {
      const line = wrapped[index]?.[place] ?? '';
      const padded = index === columns.length - 1 ? line : line.padEnd(width);
      return paint === undefined || line === '' ? padded : padded.replace(line, paint(line));
    });
    rows.push(parts.join('  ').trimEnd());
  }
  return rows.join('\n');
};
