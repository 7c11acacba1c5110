import pc from 'picocolors';
import type { HandoffRefusal } from '../../evaluator/index.ts';
import type { HandoffAnswer } from '../../producers/gateway/handoff-intake.ts';
import { printable } from '../verdict-table.ts';

function* refusals(all: readonly HandoffRefusal[]): Generator<string> {
  for (const { code, seen, needed } of all)
    yield `  ${pc.red(code)}: ${seen === null ? '' : `was ${printable(seen)}, `}needs ${printable(needed)}`;
}

/** An answer for a person: what may be done and how, or every reason why not. */
export function* printAnswer(answer: HandoffAnswer): Generator<string> {
  if (answer.outcome === 'pending') {
    yield `Not decided yet. Ask again with: countersign handoff show ${answer.handoffId}`;
    return;
  }
  if (answer.outcome === 'unknown') {
    yield pc.bold('REFUSED');
    yield* refusals(answer.refusals);
    return;
  }
  const { decided } = answer;
  const { plan } = decided;
  if (plan === null) {
    yield `${pc.bold('REFUSED')} ${decided.handoff_id}`;
    yield* refusals(decided.refusals);
    return;
  }
  const { charge, refund, ceiling, adapter } = plan;
  yield `${pc.bold('PLANNED')} ${decided.handoff_id}: ${refund.amount} ${refund.currency} to ${printable(refund.counterparty)}`;
  yield `  charge    ${printable(charge.receipt_ref)}: ${charge.amount} ${charge.currency} by ${charge.rail}, sealed by ${printable(charge.issuer)}`;
  for (const { kind, id, amount } of ceiling.taken) yield `  less      ${amount} ${kind} ${printable(id)}`;
  yield `  remaining ${ceiling.remaining_before} before, ${ceiling.remaining_after} after`;
  yield `  call      ${adapter.method} ${printable(adapter.path)}`;
  for (const [name, value] of Object.entries(adapter.headers)) yield `            ${name}: ${printable(value)}`;
  yield `            ${printable(adapter.body)}`;
  yield `  key       ${plan.idempotency_key}`;
  yield `  handoff   ${decided.plan_digest}`;
  yield `  held      until ${plan.hold_until}`;
  for (const note of decided.notes) yield `  note      ${note}`;
  yield 'No money moved; the provider was not called. Publish operation.started with this handoff before the call.';
}
