import type { z } from 'zod';
import { paymentKeyOf, type reviewDecided } from '../records/index.ts';
import { type ProducerOptions, type Published, publish, recordOf, type SendOptions } from './outgoing.ts';

export type ReviewFields = Omit<z.input<typeof reviewDecided>, 'kind'>;

/** What a reviewer's console publishes. */
export interface ReviewProducer {
  decided(fields: ReviewFields, options?: SendOptions): Promise<Published>;
}

/** Throws RECORD_MALFORMED that names the field; BROKER_UNAVAILABLE is retryable. */
export const createReviewProducer = (options: ProducerOptions): ReviewProducer => ({
  decided: async (fields, send = {}) => {
    const record = recordOf('review.decided', fields);
    return await publish(options, record, paymentKeyOf(record), send);
  },
});
