import { createAdmission } from '../../src/consumers/admit.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import type { CompiledContract, ContractSet, EpochMs, PaymentState } from '../../src/evaluator/index.ts';
import { reducePayment } from '../../src/evaluator/reduce.ts';
import { parseInputRecord } from '../../src/records/parse.ts';
import { paypalLoad } from '../load/paypal.ts';
import { Random } from '../load/random.ts';
import { Story } from '../load/story.ts';
import type { Facts } from '../peers/rules-engine.ts';

/** One PayPal refund that was started, acted, told by a webhook and read back: every condition of its contract holds. */
export interface OneOperation {
  readonly contracts: ContractSet;
  readonly contract: CompiledContract;
  readonly state: PaymentState;
  readonly now: EpochMs;
  /** the same evidence as a rules engine takes it */
  readonly facts: Facts;
}

const TURN = { isDoubled: false, isRedelivered: false, isSlow: false, isFailed: false, isLost: false };

export const oneOperation = (): OneOperation => {
  const contracts = loadContracts();
  const admission = createAdmission({ contracts, endpoints: [], testMode: false, trustGateway: true });
  const random = new Random(7);
  const records = new Story(paypalLoad, random, paypalLoad.paymentId(random), 'op-1').tell(
    1_788_220_800_000,
    1000,
    TURN,
  );
  let state: PaymentState | null = null;
  let now = 0;
  for (const [offset, { value, at }] of records.entries()) {
    const parsed = parseInputRecord(JSON.parse(value));
    if (!parsed.ok) throw new Error(parsed.reason);
    const source = { topic: 'bench', partition: 0, offset: String(offset) };
    const admitted = admission.admit(parsed.record, { source, timestamp: at });
    if (admitted.outcome !== 'admitted') throw new Error(`a record was ${admitted.outcome}`);
    const { ref, observations } = admitted;
    const appliedAt = observations.map(() => at);
    now = at;
    state = reducePayment(contracts, { ref, state, observations, appliedAt, now }).state;
  }
  const [operation] = Object.values(state?.operations ?? {});
  const [[refundId, refund] = []] = Object.entries(state?.refunds ?? {});
  const contract = contracts.find(operation?.start?.contract.id ?? '', operation?.start?.contract.version ?? '');
  const readback = refund?.reads?.['refund_readback']?.body;
  if (state === null || contract === null || !operation?.start || refundId === undefined || readback === undefined)
    throw new Error('the operation has no readback');
  const facts: Facts = {
    refund_readback: readback,
    refund_events: { count: 1 },
    capture_refunded_events: { count: 1 },
    payment_readback: { count: 1 },
    bound: { refund_id: refundId, payment_id: state.paymentId },
    input: operation.start.input,
    operation: { id: 'op-1', created_at: operation.start.createdAt, idempotency_key: operation.start.idempotencyKey },
  };
  return { contracts, contract, state, now, facts };
};
