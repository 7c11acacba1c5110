import type { Channel, Json, ReadObservation } from '../evaluator/index.ts';
import { isEventChannel, isJsonObject } from '../evaluator/index.ts';
import { instantMs } from '../evaluator/instant.ts';
import type { Answer } from '../providers/adapter.ts';
import { PROVIDERS } from '../providers/index.ts';
import { JsonTextError, parseJsonText } from '../records/json-text.ts';
import type { ReadbackResult } from '../records/records.ts';
import type { AdmissionRules, Admitted, RecordContext } from './admission.ts';
import { sha256, sha256OfJson } from './digest.ts';

type Refused = Extract<Admitted, { outcome: 'refused' }>;

const refuse = (reason: string): Refused => ({ outcome: 'refused', code: 'READBACK_MALFORMED', reason });

const channelOf = (rules: AdmissionRules, record: ReadbackResult): Channel | null => {
  for (const { contract } of rules.contracts.ofProvider(record.provider)) {
    if (Object.hasOwn(contract.channels, record.channel)) return contract.channels[record.channel] ?? null;
  }
  return null;
};

/** What the channel reads. One that no contract has is told by why it was read. */
const readsOf = (channel: Channel | null, record: ReadbackResult): 'refund' | 'payment' => {
  if (channel !== null && !isEventChannel(channel)) return channel.reads;
  return record.purpose === 'list' ? 'payment' : 'refund';
};

const answerOf = (rules: AdmissionRules, record: ReadbackResult): Answer => {
  let body: Json;
  try {
    body = parseJsonText(record.body ?? '');
  } catch (error) {
    return refuse(`body: ${error instanceof JsonTextError ? error.message : 'cannot be read'}`);
  }
  if (!isJsonObject(body)) return refuse('body: should be a JSON object');
  return PROVIDERS[record.provider].answer(body, readsOf(channelOf(rules, record), record));
};

type Base = Pick<
  ReadObservation,
  'kind' | 'at' | 'source' | 'operationId' | 'channel' | 'purpose' | 'resourceId' | 'attempt'
>;

const baseOf = (record: ReadbackResult, context: RecordContext): Base => ({
  kind: 'read',
  at: instantMs(record.observed_at) ?? 0,
  source: context.source,
  operationId: record.operation_id,
  channel: record.channel,
  purpose: record.purpose ?? 'poll',
  resourceId: record.resource_id ?? null,
  attempt: record.attempt ?? null,
});

const unanswered = (record: ReadbackResult, base: Base, kind: string | null): ReadObservation => {
  const outcome = kind === null ? 'absent' : 'error';
  const retryAfterMs = record.error?.retry_after_ms ?? null;
  const { channel, resourceId } = base;
  return {
    ...base,
    outcome,
    error: kind === null ? null : { kind, retryAfterMs },
    body: null,
    facts: [],
    isList: false,
    sha256: sha256OfJson([outcome, kind, channel, resourceId, record.observed_at, record.body ?? null]),
  };
};

const observationOf = (
  rules: AdmissionRules,
  record: ReadbackResult,
  base: Base,
  answer: Exclude<Answer, Refused>,
): ReadObservation => {
  if (answer.outcome === 'absent') return unanswered(record, base, null);
  if (answer.outcome === 'error') return unanswered(record, base, answer.kind);
  const body = rules.projectionOf(record.provider).read(record.channel, answer.body);
  const digest = sha256(record.body ?? '');
  if (answer.outcome === 'refund') {
    const facts = [answer.facts];
    return { ...base, outcome: 'ok', error: null, body, facts, isList: false, sha256: digest };
  }
  // A list may hold refunds of other payments (a page of all refunds, an order of several captures): not this one's.
  const facts = answer.facts.filter(({ paymentId }) => paymentId === null || paymentId === record.payment_id);
  const { isPartial } = answer;
  return { ...base, outcome: 'ok', error: null, body, facts, isList: true, isPartial, sha256: digest };
};

/** An answer that names another refund than was asked for is evidence of neither. */
const misanswered = (record: ReadbackResult, answer: Answer): Refused | null => {
  const asked = record.resource_id ?? null;
  if (answer.outcome !== 'refund' || asked === null || answer.facts.refundId === asked) return null;
  return refuse(
    `body: names the refund ${answer.facts.refundId.slice(0, 100)}, should be the one asked for, ${asked.slice(0, 100)}`,
  );
};

/** What the record says was answered, before the provider's own words are looked at. */
const recorded = (rules: AdmissionRules, record: ReadbackResult): Answer => {
  if (record.outcome === 'absent') return { outcome: 'absent' };
  if (record.outcome === 'error') return { outcome: 'error', kind: record.error?.kind ?? 'server' };
  return answerOf(rules, record);
};

/** A provider's answer to a read. An ok answer that cannot be understood is no answer: refused, and read again. */
export const admitReadback = (rules: AdmissionRules, record: ReadbackResult, context: RecordContext): Admitted => {
  const answer = recorded(rules, record);
  if (answer.outcome === 'refused') return answer;
  const stray = misanswered(record, answer);
  if (stray !== null) return stray;
  return {
    outcome: 'admitted',
    ref: { provider: record.provider, account: record.account, paymentId: record.payment_id },
    observations: [observationOf(rules, record, baseOf(record, context), answer)],
  };
};
