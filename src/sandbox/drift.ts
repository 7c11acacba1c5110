import { isJsonObject, type Json } from '../evaluator/index.ts';
import type { Drift } from './scenario-schema.ts';

type Step = string | number;
type Container = Record<string, Json> | Json[];

const stepsOf = (path: string): readonly Step[] =>
  [...path.matchAll(/[^.[\]]+|\[(\d+)\]/g)].map(([whole, index]) => (index === undefined ? whole : Number(index)));

const memberOf = (value: Json | undefined, step: Step): Json | undefined => {
  if (typeof step === 'number') return Array.isArray(value) ? (value as readonly Json[])[step] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
};

/** What holds the path's last step; null where the way there is missing. */
const holderOf = (root: Json, steps: readonly Step[]): Container | null => {
  let value: Json | undefined = root;
  for (const step of steps.slice(0, -1)) value = memberOf(value, step);
  const last = steps.at(-1);
  if (typeof last === 'number') return Array.isArray(value) ? (value as Json[]) : null;
  return isJsonObject(value) ? (value as Record<string, Json>) : null;
};

const put = (holder: Container, step: Step, value: Json): void => {
  if (Array.isArray(holder)) holder[Number(step)] = value;
  else Object.defineProperty(holder, step, { value, enumerable: true, configurable: true, writable: true });
};

const retyped = (value: Json): Json => {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? Number(value) : [value];
  return Array.isArray(value) ? { items: value } : [value];
};

/** A copy of a body that differs from it as a rule says. A path that the body does not have changes nothing. */
export const drifted = (body: Json, drift: Drift | undefined): Json => {
  if (drift === undefined) return body;
  const copy = structuredClone(body);
  for (const path of drift.remove) {
    const steps = stepsOf(path);
    const holder = holderOf(copy, steps);
    const last = steps.at(-1);
    if (holder === null || last === undefined) continue;
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[String(last)];
  }
  for (const path of drift.retype) {
    const steps = stepsOf(path);
    const holder = holderOf(copy, steps);
    const last = steps.at(-1);
    const value = last === undefined ? undefined : memberOf(holder as Json | undefined, last);
    if (holder !== null && last !== undefined && value !== undefined) put(holder, last, retyped(value));
  }
  for (const [path, value] of Object.entries(drift.add)) {
    const steps = stepsOf(path);
    const holder = holderOf(copy, steps);
    const last = steps.at(-1);
    if (holder !== null && last !== undefined) put(holder, last, value as Json);
  }
  return copy;
};
