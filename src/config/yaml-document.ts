import { parseDocument } from 'yaml';

/** What a YAML text holds; or what is wrong with it, which never quotes the text: it may hold secrets. */
export type YamlDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Enough for any file that a person writes, too few for one whose aliases multiply into billions. */
const ALIASES_MAX = 100;

/** Reads YAML 1.2. */
export function readYamlDocument(text: string): YamlDocument {
  try {
    const document = parseDocument(text, { prettyErrors: true });
    // Only the first line of a YAML error: the rest quotes the file, secrets and all.
    if (document.errors.length > 0)
      return { ok: false, problems: document.errors.map(({ message }) => message.split('\n')[0] ?? message) };
    return { ok: true, value: document.toJS({ maxAliasCount: ALIASES_MAX }) };
  } catch (error) {
    // Aliases that multiply, or that name nothing; lists nested deeper than the stack.
    return { ok: false, problems: [`it cannot be unfolded: ${aliasProblem(error)}`] };
  }
}

function aliasProblem(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  if (error instanceof ReferenceError && error.message.startsWith('Excessive alias'))
    return `its aliases (*name) repeat too much, at most ${ALIASES_MAX} times is taken`;
  return 'an alias (*name) names no anchor (&name) before it';
}
