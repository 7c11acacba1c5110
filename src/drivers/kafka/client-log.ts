import kafkajs, { type LogEntry } from 'kafkajs';
import type { Logger } from 'pino';

const { logLevel } = kafkajs;

/** The client says these at WARN for what we do on purpose. */
const DELIBERATE = ['Limiting retries for the idempotent producer'];

/** While a broker is away the client says the same several times a second. */
const REPEAT_AFTER_MS = 30_000;
const REMEMBERED_MAX = 100;

interface Said {
  at: number;
  unsaid: number;
}

const CAUSES_MAX = 5;

/** An error in words, with what it came from: as a field of a line of JSON an Error would be `{}`. */
const inWords = (error: Error): string => {
  const said = new Set<string>();
  let cause: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    const code = 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
    said.add(`${cause.message === '' ? cause.name : cause.message}${code}`);
    cause = cause.cause ?? ('originalError' in cause ? cause.originalError : undefined);
  }
  return [...said].join(': ');
};

/**
 * Passes on what the client logs, a level lower: whoever called decides how bad it is. What it repeats is told once in a
 * while, with how often it was left out.
 */
export const clientLog = (logger: Logger, now: () => number = Date.now): ((entry: LogEntry) => void) => {
  const said = new Map<string, Said>();

  const isRepeat = (text: string): number | null => {
    const before = said.get(text);
    if (before !== undefined && now() - before.at < REPEAT_AFTER_MS) {
      before.unsaid += 1;
      return null;
    }
    said.delete(text);
    const [oldest] = said.keys();
    if (said.size >= REMEMBERED_MAX && oldest !== undefined) said.delete(oldest);
    said.set(text, { at: now(), unsaid: 0 });
    return before?.unsaid ?? 0;
  };

  return (entry) => {
    const { message, timestamp: _timestamp, logger: _name, stack: _stack, ...fields } = entry.log;
    const bindings: Record<string, unknown> = { client: entry.namespace };
    for (const [name, value] of Object.entries(fields))
      bindings[name] = value instanceof Error ? inWords(value) : value;
    const isTold = entry.level <= logLevel.WARN && !DELIBERATE.some((text) => message.startsWith(text));
    if (!isTold) {
      logger.debug(bindings, message);
      return;
    }
    const leftOut = isRepeat(`${entry.namespace} ${message}`);
    if (leftOut === null) return;
    const told = leftOut === 0 ? bindings : { ...bindings, leftOut };
    if (entry.level === logLevel.ERROR) logger.warn(told, message);
    else logger.info(told, message);
  };
};
