const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** The index of the quote that ends the string whose opening quote is at `open`; the text's length where none does. */
export const endOfString = (text: string, open: number): number => {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
};

/** Whether the text opens more than `limit` brackets inside each other, strings not counted. Total: any text will do. */
export const nestsDeeperThan = (text: string, limit: number): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      depth += 1;
      if (depth > limit) return true;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth -= 1;
  }
  return false;
};

/**
 * Whether `length` digits or points stand in a row. Looks at every `length`-th character alone, and backwards from there
 * only where it is one: a run of that length cannot lie between two looks.
 */
export const holdsDigitRun = (text: string, length: number): boolean => {
  let end = length - 1;
  while (end < text.length) {
    let start = end + 1;
    while (start > end + 1 - length && isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1;
    if (start === end + 1 - length) return true;
    end = start + length - 1;
  }
  return false;
};

const isDigitOrPoint = (unit: number): boolean => (unit >= 0x30 && unit <= 0x39) || unit === 0x2e;
