import { OperatingError } from '../../errors.ts';

/**
 * Any failure of Redis as the one operating error STATE_UNAVAILABLE. The client's own error is not passed on: it carries the
 * command with its arguments, which may be a password or a customer's state.
 *
 * @param what the thing that Redis was asked for, after "could not"
 * @param fault what last went wrong with the connection, where the error itself only says that it is down
 */
export const stateUnavailable = (what: string, error: unknown, fault: string | null = null): OperatingError => {
  const message = error instanceof Error ? error.message : String(error);
  return new OperatingError('STATE_UNAVAILABLE', `Redis could not ${what}: ${reasonOf(message, fault)}`);
};

const IS_DOWN = /max retries per request|Connection is closed|Stream isn't writeable|Failed to refresh slots cache/;

/** The client says only that it gave up; this says what that means. */
const reasonOf = (message: string, fault: string | null): string => {
  if (IS_DOWN.test(message)) return fault === null ? 'the connection is down' : `the connection is down (${fault})`;
  if (message === 'Command timed out') return 'no answer in time';
  return message === '' ? 'it gave no reason' : message;
};

/** What the client's `error` event says, short; of a cluster, what its last node said. */
export const faultOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) return faultOf(error.lastNodeError);
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
};
