import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';

export type PathRoot = 'observed' | 'input' | 'action' | 'operation' | 'bound';

interface Parsed {
  readonly text: string;
  readonly segments: readonly (string | number)[];
}

/** A path, parsed once: `$observed.refund_readback.data.refund.transactions[0].status`. */
export type Path =
  | (Parsed & { readonly root: 'observed'; readonly channel: string })
  | (Parsed & { readonly root: Exclude<PathRoot, 'observed'>; readonly channel: null });

const ROOTS: readonly string[] = ['observed', 'input', 'action', 'operation', 'bound'];
const SEGMENT = /^([A-Za-z_][A-Za-z0-9_-]*)((?:\[\d{1,3}\])*)$/;

/** The segments of a path inside a value: `amountSet.shopMoney`, `transactions[0].status`; null if it is none. */
export const parseSegments = (text: string): (string | number)[] | null => {
  const segments: (string | number)[] = [];
  for (const part of text.split('.')) {
    const match = SEGMENT.exec(part);
    if (match === null) return null;
    const [, name = '', indexes = ''] = match;
    segments.push(name);
    for (const index of indexes.matchAll(/\[(\d+)\]/g)) segments.push(Number(index[1]));
  }
  return segments;
};

/** The path, or what is wrong with it. */
export const parsePath = (text: string): Path | { readonly problem: string } => {
  if (!text.startsWith('$'))
    return { problem: `a path begins with one of ${ROOTS.map((root) => `$${root}`).join(', ')}` };
  const segments = parseSegments(text.slice(1));
  if (segments === null) return { problem: 'a path is names joined by dots, with [0] indexes' };
  const [root, ...rest] = segments;
  if (typeof root !== 'string' || !ROOTS.includes(root)) {
    return { problem: `unknown root $${String(root)}: use one of ${ROOTS.map((name) => `$${name}`).join(', ')}` };
  }
  if (root !== 'observed') return { text, root: root as Exclude<PathRoot, 'observed'>, channel: null, segments: rest };
  const [channel, ...inside] = rest;
  if (typeof channel !== 'string')
    return { problem: 'a path of $observed names a channel: $observed.<channel>.<field>' };
  return { text, root: 'observed', channel, segments: inside };
};

/** The value at `segments`, by own properties only; undefined where there is none. */
export const valueAt = (value: Json | undefined, segments: readonly (string | number)[]): Json | undefined => {
  let current: Json | undefined = value;
  for (const segment of segments) {
    if (typeof segment === 'number') {
      if (!Array.isArray(current)) return undefined;
      current = (current as readonly Json[])[segment];
    } else {
      if (!isJsonObject(current) || !Object.hasOwn(current, segment)) return undefined;
      current = current[segment];
    }
  }
  return current;
};

/** Whether `segments` lies at or below `prefix`. */
export const isWithin = (segments: readonly (string | number)[], prefix: readonly (string | number)[]): boolean =>
  prefix.length <= segments.length && prefix.every((segment, index) => segment === segments[index]);
