import type { ProviderName } from '../evaluator/index.ts';
import type { Projection } from '../evaluator/projection.ts';
import { projectionFor } from '../evaluator/projection.ts';
import type { Endpoint } from '../providers/index.ts';
import type { InputRecord } from '../records/records.ts';
import type { AdmissionOptions, AdmissionRules, Admitted, RecordContext } from './admission.ts';
import { admitBound, admitReceipt, admitRequest } from './admit-handoff.ts';
import { admitActed, admitStarted } from './admit-operation.ts';
import { admitReadback } from './admit-readback.ts';
import { admitReview } from './admit-review.ts';
import { admitWebhook } from './admit-webhook.ts';

export type { AdmissionOptions, Admitted, RecordContext } from './admission.ts';

/** Decides what counts as evidence. */
export interface Admission {
  /** Offline and repeatable: the same record is admitted or refused the same way a year later. Never throws. */
  admit(record: InputRecord, context: RecordContext): Admitted;
}

const endpointKey = (provider: string, account: string, endpoint: string): string =>
  `${provider}:${account}:${endpoint}`;

const rulesOf = (options: AdmissionOptions): AdmissionRules => {
  const projections = new Map<ProviderName, Projection>();
  const endpoints = new Map<string, Endpoint>();
  // An account has no colon and is never empty, so an endpoint for any account has a key of its own.
  for (const one of options.endpoints) endpoints.set(endpointKey(one.provider, one.account ?? '', one.endpoint), one);
  return {
    ...options,
    projectionOf: (provider) => {
      const held = projections.get(provider);
      if (held !== undefined) return held;
      const projection = projectionFor(options.contracts.ofProvider(provider));
      projections.set(provider, projection);
      return projection;
    },
    endpointOf: (provider, account, endpoint) => {
      if (endpoints.size === 0) return null;
      const ofAccount = endpoints.get(endpointKey(provider, account, endpoint));
      return ofAccount ?? endpoints.get(endpointKey(provider, '', endpoint)) ?? null;
    },
  };
};

const NO_HANDOFFS: Admitted = { outcome: 'ignored', reason: 'nobody reads receipts and authorities here' };

/** Admission by the given contracts and endpoints. */
export const createAdmission = (options: AdmissionOptions): Admission => {
  const rules = rulesOf(options);
  return {
    admit: (record, context) => {
      switch (record.kind) {
        case 'operation.started':
          return admitStarted(rules, record, context);
        case 'operation.acted':
          return admitActed(rules, record, context);
        case 'webhook.received':
          return admitWebhook(rules, record, context);
        case 'readback.result':
          return admitReadback(rules, record, context);
        case 'review.decided':
          return admitReview(record, context);
        case 'charge.receipt':
        case 'refund.receipt':
          return options.handoffs === undefined ? NO_HANDOFFS : admitReceipt(options.handoffs, record, context);
        case 'handoff.requested':
          return options.handoffs === undefined ? NO_HANDOFFS : admitRequest(options.handoffs, record);
        case 'handoff.bound':
          return options.handoffs === undefined ? NO_HANDOFFS : admitBound(options.handoffs, record);
      }
    },
  };
};
