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
  const observed = (
    sha256: string,
    result: JsonObject | null,
    facts: ActedObservation['facts'],
    failure: ActedObservation['error'],
  ): ActedObservation => ({
    kind: 'acted',
    operationId,
    completedAt: action.completed_at,
    at: instantMs(action.completed_at) ?? 0,
    source,
    result,
    facts,
    error: failure,
    sha256,
  });
  const error = action.error ?? null;
  if (error !== null) {
    const code = error.body === undefined || error.body === null ? null : adapter.errorCode(error.body);
    const httpStatus = error.http_status ?? null;
    const digest = sha256OfJson([error.kind, httpStatus, error.body ?? null, action.completed_at]);
    return observed(digest, null, null, { kind: error.kind, httpStatus, code });
  }
  const given: JsonObject = action.result ?? {};
  const digest = sha256OfJson([given, action.completed_at]);
  const answer = adapter.action(given);
  if (answer.outcome === 'error') {
    return observed(digest, null, null, { kind: answer.kind, httpStatus: null, code: answer.code });
  }
  return observed(digest, rules.projectionOf(provider).action(answer.result), answer.facts, null);
};
