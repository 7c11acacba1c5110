/** One small mistake: the text that stands in a file once, and what stands there instead. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'count deliveries instead of refunds',
    file: 'src/evaluator/observed.ts',
    from: 'const { least, most, why } = subject.count;',
    to: `const { why } = subject.count;
  const told = subject.view.payment.events.filter((one) => one.refundId === subject.binding?.refundId).length;
  const [least, most] = [Math.max(subject.count.least, told), Math.max(subject.count.most, told)];`,
  },
  {
    name: 'ne is true on what is missing',
    file: 'src/evaluator/compare.ts',
    from: "if (observed.kind === 'unknown') return say('unknown', observed.why);",
    to: `if (observed.kind === 'unknown' && comparison.operator === 'ne') return say('true', null);
  if (observed.kind === 'unknown') return say('unknown', observed.why);`,
  },
  {
    name: 'forget the stale read window',
    file: 'src/evaluator/correlation.ts',
    from: 'return known + (operation.contract?.contract.timing.stale_read_window_ms ?? 0);',
    to: 'return known;',
  },
  {
    name: 'ignore the attribution window',
    file: 'src/evaluator/attribution.ts',
    from: 'const windowMs = contract.contract.timing.attribution_window_ms;',
    to: 'const windowMs = 0;',
  },
  {
    name: 'compare times as text',
    file: 'src/evaluator/compare.ts',
    from: "case 'time_after': {\n      const [x, y] = [instantOf(a), instantOf(b)];",
    to: `case 'time_after': {
      if (typeof a === 'string' && typeof b === 'string') return operator === 'time_before' ? a < b : a >= b;
      const [x, y] = [instantOf(a), instantOf(b)];`,
  },
  {
    name: 'skip the blind retry rule',
    file: 'src/evaluator/attribution.ts',
    from: "const knownAt = bound === undefined ? null : resultKnownAt(first, bound.refundId);\n  if (knownAt === null) return 'unsure';",
    to: "const knownAt = bound === undefined ? null : resultKnownAt(first, bound.refundId);\n  if (knownAt !== null || knownAt === null) return 'no';",
  },
  {
    name: 'count what another operation could own',
    file: 'src/evaluator/attribution.ts',
    from: 'const explained = explain(view, operation, settledUnowned);',
    to: 'const explained = explain(view, operation, []);',
  },
  {
    name: 'count what another operation owns',
    file: 'src/evaluator/attribution.ts',
    from: "if (owner !== undefined) {\n      if (refund.state !== 'no_money') addOwnedByOther",
    to: "if (owner !== undefined) {\n      add(tally, lifeOf(refund, operation), refund);\n      if (refund.state === 'no_money') addOwnedByOther",
  },
  {
    name: 'ignore the clock skew',
    file: 'src/evaluator/intent.ts',
    from: 'a.endMs <= b.startMs - skewMs;',
    to: 'a.endMs <= b.startMs - Math.min(skewMs, 0);',
  },
  {
    name: 'take a printed second for an instant',
    file: 'src/evaluator/intent.ts',
    from: 'a.endMs <= b.startMs - skewMs;',
    to: 'a.startMs <= b.startMs - skewMs + 1000;',
  },
  {
    name: 'count dead refunds as live',
    file: 'src/evaluator/attribution.ts',
    from: "if (refund.state !== 'dead') return 'live';",
    to: "if (refund.state !== 'no_money') return 'live';",
  },
  {
    name: 'let a weak candidate verify',
    file: 'src/evaluator/correlation.ts',
    from: 'return { payment, refunds, operations, owners, bindings };',
    to: `for (const operation of byClaim) {
    if (operation.intent === null || bindings.has(operation.id)) continue;
    for (const refund of refunds.values()) {
      if (owners.has(refund.id) || isSameMoney(refund, operation.intent) !== true) continue;
      owners.set(refund.id, operation.id);
      bindings.set(operation.id, { refundId: refund.id, strategy: 'fingerprint', assurance: 'strong', isClaimedByOther: false });
      break;
    }
  }
  return { payment, refunds, operations, owners, bindings };`,
  },
  {
    name: 'count refunds from before the operation',
    file: 'src/evaluator/correlation.ts',
    from: 'if (created !== null) return isBefore(created, operation.intent.createdAt, skewMs);',
    to: 'if (created !== null) return isBefore(created, operation.intent.createdAt, 1e12);',
  },
  {
    name: 'let one refund verify two operations',
    file: 'src/evaluator/correlation.ts',
    from: 'const isClaimedByOther = owners.get(id) !== operation.id;',
    to: 'const isClaimedByOther = owners.get(id) === undefined;',
  },
  {
    name: 'fold by arrival instead of update time',
    file: 'src/evaluator/fold.ts',
    from: 'const [x, y] = [freshness(a), freshness(b)];',
    to: 'const [x, y] = [a.at, b.at];',
  },
  {
    name: 'let a pending rule hold off the deadline',
    file: 'src/evaluator/evaluate.ts',
    from: "if (subject.now < deadlineOf(subject)) return decide('PENDING'",
    to: "if (pending !== null || subject.now < deadlineOf(subject)) return decide('PENDING'",
  },
  {
    name: 'no read after an event',
    file: 'src/evaluator/timing.ts',
    from: 'return dueAt > toldAt + EVENT_POLL_MS ? null',
    to: 'return dueAt > 0 ? null',
  },
  {
    name: 'believe that a provider declined at once',
    file: 'src/evaluator/evaluate.ts',
    from: 'const readableFrom = Math.max(...actions.map((action) => action.at)) + timing.stale_read_window_ms;',
    to: 'const readableFrom = Math.max(...actions.map((action) => action.at)) + Math.min(timing.stale_read_window_ms, 0);',
  },
  {
    name: 'admit forged events',
    file: 'src/consumers/admit-webhook.ts',
    from: 'if (forged !== null) return forged;',
    to: "if (forged !== null && forged.code !== 'SIGNATURE_INVALID') return forged;",
  },
  {
    name: 'never revise what is verified',
    file: 'src/evaluator/publish.ts',
    from: 'const last = lastPublished(operation);',
    to: "const last = lastPublished(operation);\n  if (last?.verdict === 'VERIFIED') return null;",
  },
  {
    name: 'take a reversal for a refund',
    file: 'src/providers/paypal/normalise.ts',
    from: "      return 'reversal';",
    to: "      return 'refund';",
  },
];
