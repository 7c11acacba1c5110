import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';

export type RedisClient = Redis | Cluster;

/** Script → its file, named with the number of keys; `n` where the caller says how many. */
const FILES = {
  claim: 'claim-2.lua',
  commit: 'commit-n.lua',
  trimVerdicts: 'trim-verdicts-2.lua',
  claimReads: 'claim-reads-2.lua',
  releaseRead: 'release-read-2.lua',
  scan: 'scan-1.lua',
  takeCall: 'take-call-1.lua',
} as const;

export type ScriptName = keyof typeof FILES;

export type ScriptArgument = string | number | Buffer;

type Call = (keyCount: number, args: readonly ScriptArgument[]) => Promise<unknown>;

const commandOf = (name: ScriptName): string => `countersign:${name}`;

/** Defines the scripts on a client: each is sent whole once a socket, then by its digest. */
export const defineScripts = (client: RedisClient): void => {
  for (const name of Object.keys(FILES) as ScriptName[]) {
    const lua = readFileSync(new URL(`scripts/${FILES[name]}`, import.meta.url), 'utf8');
    client.defineCommand(commandOf(name), { lua });
  }
};

/**
 * Runs a script. The arguments go as one array: spread, tens of thousands of them would overflow the stack.
 *
 * @param answer `Buffer`: texts in the answer are bytes; the client has a command of that name for each
 */
export const runScript = (
  client: RedisClient,
  name: ScriptName,
  keys: readonly string[],
  args: readonly ScriptArgument[],
  answer: '' | 'Buffer' = '',
): Promise<unknown> => {
  const call = (client as unknown as Record<string, Call | undefined>)[commandOf(name) + answer];
  if (call === undefined) throw new TypeError(`script ${name} is not defined on this client; call defineScripts first`);
  return call.call(client, keys.length, [...keys, ...args]);
};
