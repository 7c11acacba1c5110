/** Pieces of a word that may stand on lines of their own: a path breaks after a dot, a name after an underscore. */
const pieces = (word: string, width: number): string[] => {
  if (word.length <= width) return [word];
  const parts = word.split(/(?<=[._/])/);
  return parts.flatMap((part) =>
    part.length <= width ? [part] : (part.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [part]),
  );
};

/** Wraps text at words to lines of at most `width` characters. */
export const wrapText = (text: string, width: number): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    for (const [index, piece] of pieces(word, width).entries()) {
      const joined = line === '' ? piece : `${line}${index === 0 ? ' ' : ''}${piece}`;
      if (joined.length <= width) {
        line = joined;
        continue;
      }
      lines.push(line);
      line = piece;
    }
  }
  return [...lines, line].join('\n');
};
