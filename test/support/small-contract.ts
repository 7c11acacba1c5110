import { createContractSet } from '../../src/contracts/contract-set.ts';
import type { Comparison, Contract, ContractSet, Timing, VerifiedCondition } from '../../src/evaluator/index.ts';

const TIMING: Timing = {
  initial_delay_ms: 10_000,
  poll_interval_ms: 30_000,
  backoff_factor: 2,
  backoff_max_ms: 100_000,
  max_attempts: 3,
  timeout_ms: 3_600_000,
  stale_read_window_ms: 20_000,
  attribution_window_ms: 120_000,
  clock_skew_ms: 0,
  watch_period_ms: 86_400_000,
};

/** The channels of the small contract: a refund's readback, the payment's list, events of both. */
export const CHANNELS: Contract['channels'] = {
  refund_readback: {
    level: 'E2',
    independence: 'provider_readback',
    verifier: 'http',
    description: 'The refund.',
    reads: 'refund',
    volatile: ['status', 'items'],
  },
  payment_readback: {
    level: 'E2',
    independence: 'provider_readback',
    verifier: 'http',
    description: 'The list.',
    reads: 'payment',
    volatile: ['refunds'],
  },
  refund_events: {
    level: 'E3',
    independence: 'provider_event',
    verifier: 'webhook',
    description: 'Events of the refund.',
    events: { types: ['PAYMENT.CAPTURE.REFUNDED', 'REFUND.UPDATED'], of: 'refund' },
  },
  payment_events: {
    level: 'E3',
    independence: 'provider_event',
    verifier: 'webhook',
    description: 'Events of the payment.',
    events: { types: ['PAYMENT.CAPTURE.REFUNDED'], of: 'payment' },
  },
};

export type SmallGiven = Omit<Partial<Contract>, 'timing' | 'evidence'> & {
  readonly timing?: Partial<Timing>;
  readonly evidence?: Partial<Contract['evidence']>;
};

/** The least contract that can be judged; a test says what it is about. Named `test.refund` 1.0.0. */
export const smallContract = ({ timing, evidence, ...given }: SmallGiven = {}): Contract => ({
  contract: { id: 'test.refund', version: '1.0.0' },
  title: 'Test',
  provider: 'paypal',
  completion_level: 'refunded',
  proves_money: true,
  provider_api_versions: [],
  proves: 'A test.',
  intent: 'A test.',
  subject: {
    type: 'test',
    identity: { refund_id: '$action.result.id' },
    canonical_effect: 'money.refund',
    provider_operation: 'none',
  },
  idempotency: { key: null, through: null, retry_is_safe: null },
  input: { payment_id: '$input.capture_id', amount: '$input.amount', currency: '$input.currency_code', fields: {} },
  correlation: { strategies: [] },
  channels: CHANNELS,
  verified: [],
  contradicted: [],
  states: [],
  on_timeout: { verdict: 'UNVERIFIABLE', reason: 'evidence_unavailable_before_timeout', escalate_to: 'support' },
  provenance: [],
  ...given,
  evidence: {
    minimum_level: 'E2',
    independent_channel_required: true,
    minimum_channels: 0,
    attribution: 'operations',
    ...evidence,
  },
  timing: { ...TIMING, ...timing },
});

export const smallSet = (given: SmallGiven = {}): ContractSet => createContractSet([smallContract(given)]);

/** What starts an operation under the small contract. */
export const SMALL = { contract: 'test.refund', version: '1.0.0' } as const;

export const condition = (comparison: Comparison, name = 'it_holds'): VerifiedCondition => ({
  name,
  meaning: 'A test.',
  evidence: 'refund_readback',
  ...comparison,
});
