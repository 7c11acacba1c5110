import type { z } from 'zod';
import type { ContractSet } from '../evaluator/index.ts';
import { type operationActed, type operationStarted, paymentKeyOf } from '../records/index.ts';
import { keyOfStart } from './operation-intent.ts';
import { type ProducerOptions, type Published, publish, recordOf, type SendOptions } from './outgoing.ts';

export type StartedFields = Omit<z.input<typeof operationStarted>, 'kind'>;
export type ActedFields = Omit<z.input<typeof operationActed>, 'kind'>;

/** What a payment service publishes. */
export interface OperationProducer {
  /** Before the provider is called: what is intended. Publishing the same start again is no news. */
  started(fields: StartedFields, options?: SendOptions): Promise<Published>;
  /** After the call: what the provider answered, or that it did not. */
  acted(fields: ActedFields, options?: SendOptions): Promise<Published>;
}

/**
 * A producer that refuses at its source what the consumer would refuse: RECORD_MALFORMED, CONTRACT_UNKNOWN and INPUT_INVALID
 * name the field. BROKER_UNAVAILABLE is retryable.
 */
export const createOperationProducer = (
  options: Omit<ProducerOptions, 'seal'> & { readonly contracts: ContractSet },
): OperationProducer => ({
  started: async (fields, send = {}) => {
    const record = recordOf('operation.started', fields);
    return await publish(options, record, keyOfStart(options.contracts, record), send);
  },
  acted: async (fields, send = {}) => {
    const record = recordOf('operation.acted', fields);
    return await publish(options, record, paymentKeyOf(record), send);
  },
});
