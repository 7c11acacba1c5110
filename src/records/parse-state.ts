import { OperatingError } from '../errors.ts';
import type { PaymentState } from '../evaluator/index.ts';
import { decodeState } from './state-codec.ts';

/** Reads a serialised state back. What our own commit wrote is trusted to have its shape. */
export const parseState = (paymentKey: string, value: string): PaymentState => {
  try {
    return decodeState(value);
  } catch (cause) {
    throw new OperatingError(
      'STATE_UNAVAILABLE',
      `the stored state of ${paymentKey} is not one that this version reads`,
      {
        cause,
        context: { paymentKey },
      },
    );
  }
};
