import { readFile } from 'node:fs/promises';
import { OperatingError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../evaluator/index.ts';
import { readJsonText } from '../../records/json-text.ts';
import { UsageError } from '../report-error.ts';

/** The request on the command line: a JSON file, fields, or both; a field says it last. */
export interface RequestOptions {
  readonly request?: string;
  readonly charge?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly reason?: string;
  readonly rail?: string;
  readonly counterparty?: string;
  /** a file that holds the authority; it is as good as money, and does not belong on a command line */
  readonly authority?: string;
}

const readText = async (path: string): Promise<string> => {
  try {
    if (path !== '-') return await readFile(path, 'utf8');
    const parts: Buffer[] = [];
    for await (const part of process.stdin) parts.push(part as Buffer);
    return Buffer.concat(parts).toString('utf8');
  } catch (cause) {
    throw new OperatingError('INPUT_UNREADABLE', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
};

const readObject = async (path: string): Promise<JsonObject> => {
  const read = readJsonText(await readText(path));
  if (read.ok && isJsonObject(read.value)) return read.value;
  throw new UsageError(`--request ${path} ${read.ok ? 'is no JSON object' : `is ${read.error.message}`}`);
};

/** The body that `POST /v1/handoffs` takes. Throws INPUT_UNREADABLE and UsageError. */
export const planRequest = async (options: RequestOptions): Promise<JsonObject> => {
  const { request, charge, amount, currency, reason, rail, counterparty, authority } = options;
  const given: [string, string | undefined][] = [
    ['charge_ref', charge],
    ['amount', amount],
    ['currency', currency],
    ['reason', reason],
    ['rail', rail],
    ['counterparty', counterparty],
    ['authority', authority === undefined ? undefined : (await readText(authority)).trim()],
  ];
  const fields: Record<string, Json> = request === undefined ? {} : { ...(await readObject(request)) };
  for (const [name, value] of given) if (value !== undefined) fields[name] = value;
  return fields;
};
