import { open, rename, rm } from 'node:fs/promises';
import { OperatingError } from '../../errors.ts';
import { type KeyRecord, publicKeys } from '../../receipts/index.ts';

/** Private keys are for their owner's eyes alone. */
const PRIVATE_MODE = 0o600;
const PUBLIC_MODE = 0o644;

const write = async (path: string, value: object, mode: number): Promise<void> => {
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    // Whoever reads it meanwhile finds the one or the other, and never half of it.
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new OperatingError('OUTPUT_UNWRITABLE', `cannot write ${path}: ${(cause as Error).message}`, {
      cause,
      context: { path },
    });
  }
};

/** Writes a key set, whole or not at all, and the public part of it for those who check. Throws OUTPUT_UNWRITABLE. */
export const writeKeyFiles = async (path: string, publicPath: string, keys: readonly KeyRecord[]): Promise<void> => {
  await write(path, { keys: keys.map((key) => ({ ...key, alg: 'EdDSA', use: 'sig' })) }, PRIVATE_MODE);
  await write(publicPath, publicKeys(keys), PUBLIC_MODE);
};
