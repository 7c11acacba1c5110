import type { SealKey } from '../records/index.ts';
import type { Config } from './schema.ts';

/** The key that this process seals with: the one named, else the first; undefined where there are none. */
export const sealKeyOf = ({ keys, sign_with: named }: Config['seals']): SealKey | undefined =>
  named === undefined ? keys[0] : keys.find(({ id }) => id === named);
