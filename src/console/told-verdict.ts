import {
  adviceTold,
  type OperationView,
  type PaymentState,
  type Published,
  paymentKey,
  printInstant,
  type VerdictRecord,
} from '../evaluator/index.ts';

/** What the state of a payment keeps of each revision. */
type Kept =
  | 'kind'
  | 'schema'
  | 'verdict_id'
  | 'operation_id'
  | 'provider'
  | 'account'
  | 'payment_key'
  | 'revision'
  | 'input'
  | 'verdict'
  | 'class'
  | 'reason'
  | 'basis'
  | 'contract'
  | 'completion_level'
  | 'money_moved'
  | 'advice'
  | 'escalated_to'
  | 'decided_at'
  | 'supersedes';

/**
 * A published verdict as far as it is known where it is told. What is not known is absent, never null or empty: an absent list
 * of evidence says nothing, an empty one would say that there was none. A {@link VerdictRecord} is one with nothing absent.
 */
export type ToldVerdict = Pick<VerdictRecord, Kept> &
  Partial<Omit<VerdictRecord, Kept | 'duplicates'>> & {
    readonly duplicates: { readonly ids?: readonly string[]; readonly count: number };
  };

/** Who was asked. One that is UNVERIFIABLE always went to a person: the contract's, or of a refused start the reviewer. */
const askedOf = ({ verdict, told }: Published, contract: OperationView['contract']): string | null =>
  verdict === 'UNVERIFIABLE'
    ? (contract?.contract.on_timeout.escalate_to ?? 'person')
    : adviceTold(told).askedOfDecided;

/** A revision as far as the state remembers it: what it said, not what it rested on. */
export const rememberedVerdict = (state: PaymentState, operation: OperationView, published: Published): ToldVerdict => {
  const key = `${paymentKey(state)}/${operation.id}`;
  const { start } = operation;
  const named = start?.contract;
  // A start that was refused is judged by no contract.
  const contract = start?.refused === null ? operation.contract : null;
  const { revision, verdict, class: kind, reason, moneyMoved, duplicates, told, at } = published;
  return {
    kind: 'verdict',
    schema: 1,
    verdict_id: `${key}:${revision}`,
    operation_id: operation.id,
    provider: state.provider,
    account: state.account,
    payment_key: paymentKey(state),
    revision,
    input: start?.input ?? {},
    verdict,
    class: kind,
    reason,
    basis: reason === 'decided_by_reviewer' ? 'review' : 'evidence',
    contract: contract?.ref ?? { id: named?.id ?? '', version: named?.version ?? '', hash: '' },
    completion_level: contract?.contract.completion_level ?? null,
    money_moved: moneyMoved,
    duplicates: { count: duplicates },
    advice: adviceTold(told).advice,
    escalated_to: askedOf(published, contract),
    decided_at: printInstant(at),
    supersedes: revision === 1 ? null : `${key}:${revision - 1}`,
  };
};
