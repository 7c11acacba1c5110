import { checkInput } from '../contracts/input.ts';
import type { CompiledContract, EpochMs, Json, JsonObject, StartedObservation } from '../evaluator/index.ts';
import { instantMs } from '../evaluator/instant.ts';
import { valueAt } from '../evaluator/path.ts';
import { PROVIDERS } from '../providers/index.ts';
import type { OperationActed, OperationStarted } from '../records/records.ts';
import type { AdmissionRules, Admitted, DeadLetterReason, RecordContext } from './admission.ts';
import { admitAction } from './admit-action.ts';
import { sha256OfJson } from './digest.ts';

/** How far created_at and observe_from may lie ahead of the log's own timestamp. */
const AHEAD_MAX_MS = 5 * 60_000;
/** How far observe_from may lie after created_at where the log tells no time: no backfill looks further back. */
const BACKFILL_MAX_DAYS = 400;
const DAY_MS = 86_400_000;
const DETAIL_MAX = 1000;

interface Refused {
  readonly code: 'contract_unknown' | 'input_invalid';
  readonly detail: string;
}

const named = (contract: OperationStarted['contract']): string =>
  contract.version ? `${contract.id}@${contract.version}` : contract.id;

const unknownContract = (rules: AdmissionRules, start: OperationStarted): Refused => {
  const known = rules.contracts.ofProvider(start.provider).map(({ ref }) => `${ref.id}@${ref.version}`);
  const detail = `contract: was ${named(start.contract)}, should be one of ${start.provider}'s: ${known.join(', ')}`;
  return { code: 'contract_unknown', detail: detail.slice(0, DETAIL_MAX) };
};

const invalidInput = (compiled: CompiledContract, input: JsonObject): Refused | null => {
  const problems = checkInput(compiled.contract, input);
  if (problems.length === 0) return null;
  const detail = problems
    .map(({ field, was, shouldBe }) => `input.${field}: was ${was}, should be ${shouldBe}`)
    .join('; ');
  return { code: 'input_invalid', detail: detail.slice(0, DETAIL_MAX) };
};

const paymentText = (value: Json | undefined): string | null => {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= 255 ? value : null;
};

/** The payment that the input names: where the contract has it, else where the provider's inputs usually have it. */
const paymentOfInput = (compiled: CompiledContract | null, start: OperationStarted): string | null => {
  if (compiled !== null) {
    const found = paymentText(valueAt(start.input, compiled.paymentId.segments));
    if (found !== null) return found;
  }
  const { paymentField } = PROVIDERS[start.provider];
  return paymentText(valueAt(start.input, [paymentField]));
};

const paymentOfKey = (start: OperationStarted, key: string | null | undefined): string | null => {
  const prefix = `${start.provider}:${start.account}:`;
  return key?.startsWith(prefix) ? paymentText(key.slice(prefix.length)) : null;
};

const CODES = { contract_unknown: 'CONTRACT_UNKNOWN', input_invalid: 'INPUT_INVALID' } as const;

const deadLetterOf = (refusal: Refused): DeadLetterReason => ({ code: CODES[refusal.code], reason: refusal.detail });

/** The contract that the start means; null where there is none of its provider. */
const contractOf = (rules: AdmissionRules, start: OperationStarted, createdAtMs: EpochMs): CompiledContract | null => {
  const compiled = rules.contracts.resolve(start.contract.id, start.contract.version ?? null, createdAtMs);
  return compiled !== null && compiled.contract.provider === start.provider ? compiled : null;
};

const aheadOf = (field: 'created_at' | 'observe_from', text: string, timestamp: EpochMs): string | null => {
  const aheadMs = (instantMs(text) ?? 0) - timestamp;
  if (aheadMs <= AHEAD_MAX_MS) return null;
  return `${field}: was ${text}, ${Math.round(aheadMs / 1000)} s after the record itself, should be at most 300 s`;
};

/** Why the start is in the future, as far as that can be told; null where it is not. A deadline set too late never comes. */
const inFuture = (
  { created_at: createdAt, observe_from: observeFrom }: OperationStarted,
  timestamp: EpochMs | null,
) => {
  if (timestamp !== null) {
    const created = aheadOf('created_at', createdAt, timestamp);
    return created ?? (observeFrom == null ? null : aheadOf('observe_from', observeFrom, timestamp));
  }
  if (observeFrom == null) return null;
  const afterMs = (instantMs(observeFrom) ?? 0) - (instantMs(createdAt) ?? 0);
  if (afterMs <= BACKFILL_MAX_DAYS * DAY_MS) return null;
  return `observe_from: was ${observeFrom}, should be at most ${BACKFILL_MAX_DAYS} days after created_at (${createdAt})`;
};

/**
 * A start. One whose contract is unknown or whose input is not in the contract's form is dead-lettered and admitted as
 * refused, so that it gets its verdict; only where nothing names a payment can it get none.
 */
export const admitStarted = (rules: AdmissionRules, start: OperationStarted, context: RecordContext): Admitted => {
  const at = instantMs(start.created_at) ?? 0;
  const reason = inFuture(start, context.timestamp);
  if (reason !== null) return { outcome: 'refused', code: 'CREATED_AT_IN_FUTURE', reason };
  const compiled = contractOf(rules, start, at);
  const refused = compiled === null ? unknownContract(rules, start) : invalidInput(compiled, start.input);
  const paymentId = paymentOfInput(compiled, start) ?? paymentOfKey(start, context.key);
  if (paymentId === null) {
    const { code, reason } =
      refused === null
        ? {
            code: 'INPUT_INVALID' as const,
            reason: `input: names no payment, should have ${PROVIDERS[start.provider].paymentField}`,
          }
        : deadLetterOf(refused);
    return { outcome: 'refused', code, reason };
  }
  const idempotencyKey = start.idempotency_key ?? start.operation_id;
  const handoff = start.handoff ?? null;
  const started: StartedObservation = {
    kind: 'started',
    at,
    source: context.source,
    operationId: start.operation_id,
    contract: { id: start.contract.id, version: compiled === null ? null : compiled.ref.version },
    createdAt: start.created_at,
    idempotencyKey,
    input: start.input,
    handoff,
    observeFrom: start.observe_from ?? null,
    refused,
    identity: sha256OfJson([start.contract.id, start.contract.version ?? null, start.input, idempotencyKey, handoff]),
  };
  const ref = { provider: start.provider, account: start.account, paymentId };
  const action = start.action ?? null;
  const observations =
    action === null
      ? [started]
      : [started, admitAction(rules, start.provider, start.operation_id, action, context.source)];
  if (refused === null) return { outcome: 'admitted', ref, observations };
  return { outcome: 'admitted', ref, observations, deadLetter: deadLetterOf(refused) };
};

export const admitActed = (rules: AdmissionRules, acted: OperationActed, context: RecordContext): Admitted => ({
  outcome: 'admitted',
  ref: { provider: acted.provider, account: acted.account, paymentId: acted.payment_id },
  observations: [admitAction(rules, acted.provider, acted.operation_id, acted.action, context.source)],
});
