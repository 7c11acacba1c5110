import { OperatingError } from '../../errors.ts';

/** The broker's own name of an error, e.g. INVALID_PRODUCER_EPOCH; the client's class name where it has none. */
export const brokerErrorType = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  const { type, cause, name } = error as { type?: unknown; cause?: unknown; name?: unknown };
  if (typeof type === 'string') return type;
  // The client wraps the last error when it gives up.
  if (cause !== undefined && cause !== error) return brokerErrorType(cause);
  return typeof name === 'string' ? name : 'UNKNOWN';
};

const PROGRAMMER_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Whether the program is wrong, and not the way to the broker. The client stumbles too, over what a broker that goes away leaves
 * unsaid: what is thrown in its own code is the connection's fault.
 */
const isOurMistake = (error: unknown): boolean => {
  if (!PROGRAMMER_ERRORS.some((kind) => error instanceof kind)) return false;
  const [thrownAt = ''] = ((error as Error).stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return !/[\\/]node_modules[\\/]kafkajs[\\/]/.test(thrownAt);
};

/**
 * An error of the client, as ours: BROKER_UNAVAILABLE, retryable, saying what was being done. A mistake in the program is thrown as it
 * is: trying again would hide it.
 */
export const brokerUnavailable = (doing: string, cause: unknown): OperatingError => {
  if (cause instanceof OperatingError) return cause;
  if (isOurMistake(cause)) throw cause;
  const type = brokerErrorType(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  return new OperatingError('BROKER_UNAVAILABLE', `${doing}: ${message}`, { cause, context: { type } });
};

const REBALANCING = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/** Whether the error says that this member has to join its group again. Only these may leave the batch handler. */
export const isRebalance = (error: unknown): boolean => REBALANCING.has(brokerErrorType(error));
