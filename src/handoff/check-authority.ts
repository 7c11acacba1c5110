import { type HandoffQuestion, type HandoffRefusal, paymentKey, type ReceiptBody } from '../evaluator/index.ts';
import { refusal } from './refusals.ts';

/** What of an authority only its payment's shard can tell: whether it is of the charge's realm, bound elsewhere, or spent. */
export const checkAuthority = (
  { request, payment, held }: HandoffQuestion,
  charge: ReceiptBody | null,
): HandoffRefusal[] => {
  const { authority, binding, handoffId } = request;
  if (authority === null) return [];
  const found: HandoffRefusal[] = [];
  if (charge !== null && charge.realm !== authority.realm)
    found.push(refusal('authority_realm_mismatch', authority.realm, charge.realm));
  const here = paymentKey(payment);
  // Nobody bound it: then it was refused for what is wrong with it, or the record did not come by its authority's partition.
  if (binding === null ? request.problems.length === 0 : binding.paymentKey !== here) {
    const seen =
      binding === null
        ? 'an authority that is bound to nothing'
        : 'an authority that was shown for another payment first';
    found.push(refusal('authority_bound_elsewhere', seen, 'an authority that is first shown for this payment'));
  }
  const spent = Object.values(held.decisions).find(
    (decided) =>
      decided.decision === 'planned' && decided.authority_key === authority.key && decided.handoff_id !== handoffId,
  );
  if (spent !== undefined)
    found.push(refusal('authority_used', `used by ${spent.handoff_id}`, 'an authority that was never used'));
  return found;
};
