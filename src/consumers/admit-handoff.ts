import { type HandoffObservation, instantMs, type PaymentRef, paymentKey } from '../evaluator/index.ts';
import type { HandoffProofs } from '../ports/handoff-proofs.ts';
import { keyOfRequest } from '../records/authority-key.ts';
import { parseInputRecord } from '../records/parse.ts';
import type { ChargeReceipt, HandoffBound, HandoffRequested, RefundReceipt } from '../records/records.ts';
import type { Admitted, RecordContext } from './admission.ts';

const refOf = (record: { provider: PaymentRef['provider']; account: string; payment_id: string }): PaymentRef => ({
  provider: record.provider,
  account: record.account,
  paymentId: record.payment_id,
});

/** A receipt, whatever its standing: what is no proof is kept apart, not lost. */
export const admitReceipt = (
  proofs: HandoffProofs,
  record: ChargeReceipt | RefundReceipt,
  { source }: RecordContext,
): Admitted => ({
  outcome: 'admitted',
  ref: refOf(record),
  observations: [
    {
      kind: 'receipt',
      at: Number(instantMs(record.received_at)),
      source,
      of: record.kind === 'charge.receipt' ? 'charge' : 'refund',
      receiptRef: record.receipt_ref,
      ...proofs.receipt(record),
    },
  ],
});

/** A request on its authority's partition: to be bound there, and passed on. */
export const admitRequest = (proofs: HandoffProofs, record: HandoffRequested): Admitted => {
  const { requestDigest, authority, isBindable } = proofs.request(record);
  return {
    outcome: 'bind',
    authorityKey: keyOfRequest(record),
    request: record,
    claim:
      authority === null || !isBindable
        ? null
        : { paymentKey: paymentKey(refOf(record)), requestDigest, expiresAt: authority.expiresAt },
  };
};

/** A request on its payment's partition: to be decided. */
export const admitBound = (proofs: HandoffProofs, record: HandoffBound): Admitted => {
  const parsed = parseInputRecord(record.request, 'handoff-requested');
  if (!parsed.ok) return { outcome: 'refused', code: 'RECORD_MALFORMED', reason: `request: ${parsed.reason}` };
  const request = parsed.record as HandoffRequested;
  const ref = refOf(record);
  if (paymentKey(refOf(request)) !== paymentKey(ref)) {
    const reason = `request: was of payment ${paymentKey(refOf(request))}, should be of ${paymentKey(ref)}`;
    return { outcome: 'refused', code: 'RECORD_MALFORMED', reason };
  }
  const { handoffId, requestDigest, terms, problems, authority } = proofs.request(request);
  const bound = record.bound_to ?? null;
  const observation: HandoffObservation = {
    kind: 'handoff',
    at: Number(instantMs(request.requested_at)),
    source: record.source,
    handoffId,
    requestDigest,
    terms,
    problems,
    authority,
    binding: bound === null ? null : { paymentKey: bound.payment_key, requestDigest: bound.request_digest },
  };
  return { outcome: 'admitted', ref, observations: [observation] };
};
