import type { z } from 'zod';
import { paymentKeyOf, type readbackResult } from '../records/index.ts';
import { type ProducerOptions, type Published, publish, recordOf, type SendOptions } from './outgoing.ts';

export type ReadbackFields = Omit<z.input<typeof readbackResult>, 'kind'>;

/** What a readback worker publishes. */
export interface ReadbackProducer {
  answered(fields: ReadbackFields, options?: SendOptions): Promise<Published>;
}

/** Throws RECORD_MALFORMED that names the field; BROKER_UNAVAILABLE is retryable. */
export const createReadbackProducer = (options: ProducerOptions): ReadbackProducer => ({
  answered: async (fields, send = {}) => {
    const record = recordOf('readback.result', fields);
    return await publish(options, record, paymentKeyOf(record), send);
  },
});
