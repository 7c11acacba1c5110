import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/*
 * `{ env: … }` and `{ file: … }` name where a secret is. Somebody who writes the secret itself there must not find it in an
 * error message or a log, so only what cannot well be a secret is repeated.
 */

const VARIABLE = /^[A-Z_][A-Z0-9_]{0,63}$/;
const PLAIN_PATH = /^[\w.~-]*(?:\/[\w.-]+)*$/;
const FILE_ENDING = /\.(?:txt|pem|key|crt|cer|json|ya?ml|secret|env)$/;
const PATH_MAX = 255;

/** Whether the text looks like the name of an environment variable. */
export const isVariableName = (text: string): boolean => VARIABLE.test(text);

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whether the text is the path of a file that exists, or one that plainly was to be: by its ending or by its folder. */
export const isPathName = (text: string, folder: string): boolean => {
  if (text.length > PATH_MAX || !PLAIN_PATH.test(text)) return false;
  if (FILE_ENDING.test(text)) return true;
  try {
    const path = resolve(folder, text);
    return exists(path) || (text.includes('/') && exists(dirname(path)));
  } catch {
    return false;
  }
};
