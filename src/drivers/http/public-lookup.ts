import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress } from './private-address.ts';

/** The code of a connection that was not made because of where it would have led. */
export const PRIVATE_ADDRESS = 'ERR_PRIVATE_ADDRESS';

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const refusal = (): NodeJS.ErrnoException =>
  Object.assign(new Error('the host has a private address'), { code: PRIVATE_ADDRESS });

/**
 * A name lookup for sockets that refuses a name with any private address. It is the very lookup whose addresses are then
 * connected to, so that a name that answers differently the next time (DNS rebinding) leads nowhere else.
 */
export const publicLookup =
  (resolve: Resolve = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
        return callback(refusal(), '', 0);
      }
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
