import { isJsonObject, type Json } from '../evaluator/index.ts';
import { canonicalText } from '../records/canonical-text.ts';

/** At most so many fields are named. */
const MOST = 10;

const below = (a: Json | undefined, b: Json | undefined, path: string, found: string[]): void => {
  if (found.length >= MOST || canonicalText(a) === canonicalText(b)) return;
  if (isJsonObject(a) && isJsonObject(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (Object.hasOwn(a, name) && Object.hasOwn(b, name))
        below(a[name], b[name], path === '' ? name : `${path}.${name}`, found);
      else found.push(path === '' ? name : `${path}.${name}`);
    }
    return;
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    for (const [index, item] of a.entries()) below(item as Json, b[index] as Json, `${path}[${index}]`, found);
    return;
  }
  found.push(path === '' ? 'all of it' : path);
};

/** The fields in which two JSON values differ, as dotted paths. */
export const differences = (a: Json, b: Json): readonly string[] => {
  const found: string[] = [];
  below(a, b, '', found);
  return found.slice(0, MOST);
};
