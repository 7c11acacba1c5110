import { OperatingError } from '../errors.ts';

const why = (cause: NodeJS.ErrnoException): string => {
  switch (cause.code) {
    case 'ENOSPC':
      return 'no space is left on the device';
    case 'EDQUOT':
      return 'the disk quota is used up';
    case 'EIO':
      return 'the device failed';
    default:
      return cause.message;
  }
};

/** What a command has to say could not be written: something outside is full or broken. */
export const outputUnwritable = (name: string, cause: NodeJS.ErrnoException): OperatingError =>
  new OperatingError('OUTPUT_UNWRITABLE', `cannot write ${name}: ${why(cause)}`, { cause, context: { name } });
