import { existsSync } from 'node:fs';
import { readKeyFile } from '../../drivers/files/key-file.ts';
import { writeKeyFiles } from '../../drivers/files/write-key-file.ts';
import { systemClock } from '../../ports/clock.ts';
import { generateKey, revokeKey, rotateKeys } from '../../receipts/change-keys.ts';
import { isInForce, type KeyRecord, KeySet, publicKeys, type SealingKey } from '../../receipts/index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../report-error.ts';

export interface KeysOptions {
  readonly public?: string;
  readonly json?: boolean;
}

export interface RotateOptions extends KeysOptions {
  readonly at?: number;
}

export interface RevokeOptions extends KeysOptions {
  readonly from?: number;
}

/** Long enough for every process on this machine to have read the file again. */
const ROTATE_AHEAD_MS = 60_000;

const publicPathOf = (file: string, options: KeysOptions): string =>
  options.public ?? (file.endsWith('.json') ? file.replace(/\.json$/, '.public.json') : `${file}.public.json`);

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const iso = (ms: number): string => new Date(ms).toISOString();

const stateOf = (key: SealingKey, signer: SealingKey | null, now: number): string => {
  if (key.record.revoked_from !== undefined) return 'revoked';
  if (key === signer) return 'seals';
  if (now < key.notBefore) return 'next';
  return isInForce(key, now) ? 'in force' : 'ended';
};

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const privateKeys = (file: string): readonly KeyRecord[] => {
  const records = readKeyFile(file).keys.map(({ record }) => record);
  if (records.every(({ d }) => d === undefined))
    throw new UsageError(`${file} is a public key set; the key file with the private keys is needed`);
  return records;
};

const write = async (
  file: string,
  options: KeysOptions,
  keys: readonly KeyRecord[],
  said: string,
): Promise<ExitCode> => {
  const publicPath = publicPathOf(file, options);
  if (publicPath === file) throw new UsageError('the public key set cannot go into the key file itself');
  await writeKeyFiles(file, publicPath, keys);
  print(options.json === true ? JSON.stringify(publicKeys(keys)) : `${said}\nThe public keys are in ${publicPath}.`);
  return EXIT.ok;
};

export const generateKeys = async (file: string, options: KeysOptions): Promise<ExitCode> => {
  if (existsSync(file)) throw new UsageError(`${file} is there already; \`countersign keys rotate\` adds a key to it`);
  const key = await generateKey();
  return write(file, options, [key], `Key ${key.kid} is in ${file}. Set receipts.keys to it, and keep it secret.`);
};

export const listKeys = async (file: string, options: KeysOptions): Promise<ExitCode> => {
  const keys = readKeyFile(file);
  const now = systemClock.now();
  const signer = new KeySet(keys.keys.map(({ record }) => ({ d: '', ...record }))).signerAt(now)?.record.kid ?? null;
  const listed = keys.keys.map((key) => ({
    state: stateOf(key, signer === null ? null : keys.find(signer), now),
    ...key.record,
  }));
  if (options.json === true) {
    print(JSON.stringify({ keys: listed.map(({ d: _, ...rest }) => rest) }));
    return EXIT.ok;
  }
  const rows = listed.map(({ kid, state, not_before: from, not_after: until, revoked_from: revoked }) => [
    kid,
    state,
    from ?? 'ever',
    until ?? 'ever',
    revoked ?? '',
  ]);
  print(aligned([['key', 'state', 'from', 'until', 'revoked from'], ...rows]));
  return EXIT.ok;
};

export const rotateKeyFile = async (file: string, options: RotateOptions): Promise<ExitCode> => {
  const now = systemClock.now();
  const at = options.at ?? now + ROTATE_AHEAD_MS;
  if (at <= now) {
    throw new UsageError(
      `--at was ${iso(at)}, it should lie ahead: what the old key has sealed since then could not be checked any more`,
    );
  }
  const keys = await rotateKeys(privateKeys(file), iso(at));
  return write(file, options, keys, `From ${iso(at)} on, key ${keys.at(-1)?.kid} seals.`);
};

export const revokeInFile = async (file: string, kid: string, options: RevokeOptions): Promise<ExitCode> => {
  const from = iso(options.from ?? systemClock.now());
  const before = privateKeys(file);
  const keys = await revokeKey(before, kid, from);
  if (keys === null) throw new UsageError(`${file} has no key ${kid}; \`countersign keys list ${file}\` lists them`);
  const said = `Key ${kid} is revoked: of what was decided from ${from} on, it proves nothing. Key ${keys.at(-1)?.kid} seals in its place.`;
  return write(file, options, keys, said);
};
