import type { HandoffRefusal } from '../../../../src/evaluator/index.ts';
import type { Breach } from '../../oracle.ts';
import type { Run } from '../../run.ts';
import type { House } from '../house.ts';
import { type Answer, loggedRequests, publishedAnswers } from './answers.ts';
import { type Ask, PAYER } from './desk-plan.ts';
import { HandoffTruth } from './handoff-truth.ts';
import { checkOperations } from './operation-checks.ts';
import { checkReviews } from './review-checks.ts';

const breachOf = (rule: Breach['rule'], { decided }: Answer, text: string): Breach => ({
  rule,
  operationId: decided.handoff_id,
  text: `${decided.handoff_id} of ${decided.payment_key}: ${text}`,
});

/** Every request is answered: by a decision of its own, or by one that it could add nothing to. */
const unanswered = (house: House, answers: readonly Answer[]): Breach[] =>
  loggedRequests(house).flatMap(({ source, record }): Breach[] => {
    const id = house.desk.handoffIdOf(record);
    const isAnswered = answers.some(
      ({ decided: { handoff_id, request } }) =>
        handoff_id === id && request.partition === source.partition && Number(request.offset) >= source.offset,
    );
    const isPlanned = answers.some(({ decided }) => decided.handoff_id === id && decided.decision === 'planned');
    const where = `${source.topic}/${source.partition}@${source.offset}`;
    // One on a wrong partition is sent on, and its copy is answered.
    if (isAnswered || isPlanned || !house.records.isBound(where)) return [];
    return [{ rule: 'request_unanswered', operationId: id, text: `the request ${id} at ${where} has no answer` }];
  });

/** A request has one plan for ever, and an authority one request. */
const granted = (answers: readonly Answer[]): Breach[] => {
  const byAuthority = new Map<string, string>();
  const byRequest = new Map<string, Answer>();
  return answers.flatMap((answer): Breach[] => {
    const { handoff_id: id, authority_key: key, plan_digest: digest } = answer.decided;
    const earlier = byRequest.get(id);
    if (earlier !== undefined)
      return [breachOf('plan_changed', answer, `it was granted, and then decided again: ${digest ?? 'refused'}`)];
    if (digest === null) return [];
    byRequest.set(id, answer);
    const spent = byAuthority.get(key ?? '');
    byAuthority.set(key ?? '', id);
    return spent === undefined ? [] : [breachOf('authority_spent_twice', answer, `${key} was spent on ${spent}`)];
  });
};

const planned = (truth: HandoffTruth, answer: Answer, ask: Ask): Breach[] => {
  const { authority, minor, counterparty, charge } = ask;
  const wrong = (text: string): Breach[] => [breachOf('plan_unjustified', answer, text)];
  if (minor > charge.minor) return wrong(`${minor} of a charge of ${charge.minor}`);
  if (!authority.isSigned) return wrong('nobody whom we know signed its authority');
  if (Date.parse(answer.decided.requested_at) >= authority.expiresAt) return wrong('its authority was over');
  if (minor > authority.maxMinor) return wrong(`${minor} of an authority for ${authority.maxMinor}`);
  if (counterparty !== PAYER) return wrong(`it is for ${counterparty}`);
  if (!truth.receipt(answer, ask, true).isPossible) return wrong('its charge was not proven');
  const { most } = truth.remaining(answer, ask);
  return minor <= most
    ? []
    : [
        breachOf(
          'plan_over_ceiling',
          answer,
          `${minor} was granted of ${charge.minor}, of which ${most} was left at most`,
        ),
      ];
};

type Reason = (context: { truth: HandoffTruth; answer: Answer; ask: Ask; answers: readonly Answer[] }) => boolean;

const isShownElsewhere: Reason = ({ answer: { decided }, ask, answers }) =>
  answers.some(
    (other) =>
      other.decided.payment_key !== decided.payment_key && other.decided.authority_key === decided.authority_key,
  ) && ask.authority.isSigned;

/** Code → whether it may be said. A code that is not here is never true of what the desk asks. */
const TRUE_REASONS: Readonly<Record<string, Reason>> = {
  charge_unknown: ({ truth, answer, ask }) => !truth.receipt(answer, ask, false).isSure,
  charge_unsealed: ({ truth, answer, ask }) => !truth.receipt(answer, ask, true).isSure,
  charge_reference_only: ({ truth, answer, ask }) => !truth.receipt(answer, ask, true).isSure,
  authority_unsigned: ({ ask }) => !ask.authority.isSigned,
  authority_expired: ({ answer, ask }) => Date.parse(answer.decided.requested_at) >= ask.authority.expiresAt,
  authority_bound_exceeded: ({ ask }) => ask.minor > ask.authority.maxMinor,
  authority_payer_mismatch: ({ ask }) => ask.counterparty !== PAYER,
  payer_mismatch: ({ ask }) => ask.counterparty !== PAYER,
  authority_bound_elsewhere: isShownElsewhere,
  authority_used: ({ answer: { decided }, answers }) =>
    answers.some(
      (other) =>
        other.decided.plan !== null &&
        other.decided.authority_key === decided.authority_key &&
        other.decided.handoff_id !== decided.handoff_id,
    ),
  amount_above_charge: ({ ask }) => ask.minor > ask.charge.minor,
  amount_above_remaining: ({ truth, answer, ask }) => ask.minor > truth.remaining(answer, ask).least,
};

const refused = (truth: HandoffTruth, answer: Answer, ask: Ask, answers: readonly Answer[]): Breach[] => {
  const untrue = ({ code }: HandoffRefusal): boolean => TRUE_REASONS[code]?.({ truth, answer, ask, answers }) !== true;
  const { refusals } = answer.decided;
  if (refusals.length === 0) return [breachOf('refusal_untrue', answer, 'it was refused without a reason')];
  return refusals
    .filter(untrue)
    .map(({ code, seen, needed }) => breachOf('refusal_untrue', answer, `${code}: saw ${seen}, needed ${needed}`));
};

/** Holds every answer to a request for a plan, and every operation on one, against what the desk knows to be true. */
export const checkHandoff = (house: House, others: Pick<Run, 'verdicts'>, isTransactional: boolean): Breach[] => {
  const { answers, repeats } = publishedAnswers(house);
  const truth = new HandoffTruth(house, answers);
  const doubled = isTransactional
    ? repeats.map((decided): Breach => {
        const { topic, partition, offset } = decided.request;
        const text = `${decided.handoff_id} is answered twice for ${topic}/${partition}@${offset}`;
        return { rule: 'request_unanswered', operationId: decided.handoff_id, text };
      })
    : [];
  const judged = answers.flatMap((answer): Breach[] => {
    const ask = truth.askOf(answer);
    if (ask === undefined) return [breachOf('request_unanswered', answer, 'nobody asked for it')];
    return answer.decided.plan === null ? refused(truth, answer, ask, answers) : planned(truth, answer, ask);
  });
  return [
    ...unanswered(house, answers),
    ...granted(answers),
    ...doubled,
    ...judged,
    ...checkOperations(house, others),
    ...checkReviews(house, others),
  ];
};
