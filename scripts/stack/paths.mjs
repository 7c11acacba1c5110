import { join } from 'node:path';
import { ROOT } from '../setup/paths.mjs';

/** Everything the stack keeps: downloads, data, logs, what runs. Git ignores it; deleting it while all is down is safe. */
export const STACK = join(ROOT, '.stack');

export const VERSIONS = { kafka: '4.4.0', registry: '2.6.13.Final' };
