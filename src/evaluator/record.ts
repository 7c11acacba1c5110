import { predates } from './correlation.ts';
import type { JudgedRule, Judgement } from './evaluate.ts';
import { weakCandidate } from './findings.ts';
import { printInstant } from './instant.ts';
import type { Json } from './json.ts';
import { paymentKey } from './observation.ts';
import { droppedRepeats, type Subject } from './observed.ts';
import type { Publication } from './publish.ts';
import type { Seen } from './seen.ts';
import type { EvidenceItem, JudgedCondition, VerdictRecord } from './verdict.ts';

/** At most this many characters of an observed or expected value are shown. */
const SHOWN = 200;

const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

const printed = (json: Json): string => {
  if (typeof json === 'number' || typeof json === 'bigint' || typeof json === 'boolean') return String(json);
  return JSON.stringify(json, bigintAsText).slice(0, SHOWN);
};

const show = (seen: Seen): string | null => {
  if (seen.kind === 'value') return typeof seen.value === 'string' ? seen.value.slice(0, SHOWN) : printed(seen.value);
  return seen.kind === 'interval' ? `${seen.least} to ${seen.most}` : null;
};

const describeOne = (
  kind: JudgedCondition['kind'],
  { rule, comparison, judged }: JudgedRule<{ readonly name: string }>,
): JudgedCondition => ({
  name: rule.name,
  kind,
  result: judged.result,
  path: comparison.path.text,
  observed: show(judged.observed),
  expected: show(judged.expected),
  why: judged.why,
});

/** Every rule of the contract as it was judged: VERIFIED conditions, contradictions, state rules. */
export const describeJudgement = (judgement: Judgement | null): JudgedCondition[] =>
  judgement === null
    ? []
    : [
        ...judgement.verified.map((one) => describeOne('verified', one)),
        ...judgement.contradicted.map((one) => describeOne('contradicted', one)),
        ...judgement.states.map((one) => describeOne('state', one)),
      ];

/** What fed the verdict: the bound refund's readbacks, the lists, the matching events (at most 10 a channel). */
export const evidenceOf = (subject: Subject): EvidenceItem[] => {
  const items: EvidenceItem[] = [];
  for (const channel of subject.contract.channels.values()) {
    const { name } = channel;
    const sources =
      channel.events !== null
        ? subject.eventsOf(channel).slice(0, 10)
        : [channel.reads === 'payment' ? subject.listOf(name) : subject.readOf(name)];
    for (const source of sources) {
      if (source === null) continue;
      items.push({
        channel: name,
        level: channel.channel.level,
        sha256: source.sha256,
        observed_at: printInstant(source.at),
        source: source.source,
      });
    }
  }
  return items;
};

/** The refund that a verdict of the operation names. */
export const refundOf = (subject: Subject): VerdictRecord['refund'] => {
  const refund = subject.refund ?? weakCandidate(subject);
  if (refund === null) {
    const { binding } = subject;
    return binding === null ? null : { id: binding.refundId, amount: null, currency: null, status: null };
  }
  const { id, amount, currency, status } = refund;
  return { id, amount: amount === null ? null : inForm(subject, amount), currency, status };
};

/** The amount in the provider's own form: Square and Stripe state integers. */
const inForm = (subject: Subject, amount: string): Json => {
  const { provider } = subject.view.payment;
  if (provider !== 'square' && provider !== 'stripe') return amount;
  if (!/^-?\d+$/.test(amount)) return amount;
  return amount.length <= 15 ? Number(amount) : BigInt(amount);
};

export const correlationOf = (subject: Subject): VerdictRecord['correlation'] => {
  const { binding } = subject;
  if (binding !== null) return { strategy: binding.strategy, assurance: binding.assurance };
  return weakCandidate(subject) === null ? null : { strategy: 'fingerprint', assurance: 'weak' };
};

/** Every refund of the payment seen since the operation started, dead ones and other operations' included. */
export const refundsSeen = (subject: Subject): string[] => {
  const ids: string[] = [];
  for (const refund of subject.view.refunds.values()) {
    if (refund.state !== 'no_money' && predates(refund, subject.operation) !== true) ids.push(refund.id);
  }
  return ids.length > 1 ? ids.sort() : ids;
};

/** The verdict record of a publication. */
export const verdictRecord = (
  subject: Subject,
  { evaluation, basis, beside, published, supersedes }: Publication,
): VerdictRecord => {
  const { payment } = subject.view;
  const key = paymentKey(payment);
  const idOf = (revision: number): string => `${key}/${subject.operation.id}:${revision}`;
  const seen = refundsSeen(subject);
  const { findings, refund } = beside;
  return {
    kind: 'verdict',
    schema: 1,
    verdict_id: idOf(published.revision),
    operation_id: subject.operation.id,
    provider: payment.provider,
    account: payment.account,
    payment_key: key,
    revision: published.revision,
    input: subject.operation.start.input,
    refund,
    verdict: evaluation.verdict,
    class: evaluation.class,
    reason: evaluation.reason,
    detail: evaluation.detail(),
    basis,
    contract: subject.contract.ref,
    completion_level: subject.contract.contract.completion_level,
    money_moved: evaluation.moneyMoved,
    conditions: describeJudgement(evaluation.judgement),
    evidence: evidenceOf(subject),
    correlation: correlationOf(subject),
    refunds_seen: { ids: seen, count: seen.length },
    duplicates: { ids: evaluation.duplicates, count: evaluation.duplicates.length },
    duplicates_dropped: droppedRepeats(subject, true),
    findings,
    advice: evaluation.advice,
    escalated_to: evaluation.escalatedTo,
    decided_at: printInstant(published.at),
    supersedes: supersedes === null ? null : idOf(supersedes),
    receipt: null,
  };
};
