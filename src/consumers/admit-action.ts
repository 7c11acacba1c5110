import type { ActedObservation, JsonObject, ProviderName, Source } from '../evaluator/index.ts';
import { instantMs } from '../evaluator/instant.ts';
import { PROVIDERS } from '../providers/index.ts';
import type { Action } from '../records/records.ts';
import type { AdmissionRules } from './admission.ts';
import { sha256OfJson } from './digest.ts';

/** What the payment service heard back: the provider's answer (E1), or that there was none. */
export const admitAction = (
  rules: AdmissionRules,
  provider: ProviderName,
  operationId: string,
  action: Action,
  source: Source,
): ActedObservation => {
  const adapter = PROVIDERS[provider];
  const observed = {
    kind: 'acted' as const,
    operationId,
    completedAt: action.completed_at,
    at: instantMs(action.completed_at) ?? 0,
    source,
  };
  const error = action.error ?? null;
  if (error !== null) {
    const code = error.body === undefined || error.body === null ? null : adapter.errorCode(error.body);
    const httpStatus = error.http_status ?? null;
    const digest = sha256OfJson([error.kind, httpStatus, error.body ?? null, action.completed_at]);
    return { ...observed, result: null, facts: null, error: { kind: error.kind, httpStatus, code }, sha256: digest };
  }
  const given: JsonObject = action.result ?? {};
  const digest = sha256OfJson([given, action.completed_at]);
  const answer = adapter.action(given);
  if (answer.outcome === 'error') {
    const failure = { kind: answer.kind, httpStatus: null, code: answer.code };
    return { ...observed, result: null, facts: null, error: failure, sha256: digest };
  }
  const result = rules.projectionOf(provider).action(answer.result);
  return { ...observed, result, facts: answer.facts, error: null, sha256: digest };
};
