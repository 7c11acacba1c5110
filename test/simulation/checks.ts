import type { PaymentState } from '../../src/evaluator/index.ts';
import { Evidence } from './evidence.ts';
import type { Breach } from './oracle.ts';
import { judgeRun, revisionsOf } from './oracle.ts';
import { contractsOf } from './pipeline.ts';
import { type Run, redeliver, sortRecords } from './run.ts';
import { toldTruly } from './told-checks.ts';
import { goodRefund } from './truth.ts';
import { changeAt, operationsOf, refundsOf } from './world.ts';

const HOUR_MS = 3_600_000;

/** Forged records are refused and all others are not. */
const admitted = (run: Run): Breach[] =>
  run.delivered.flatMap(({ item }): Breach[] => {
    const code = run.deadLetters.get(item.id);
    const isForged = item.about.kind === 'forged';
    if (isForged === (code === 'SIGNATURE_INVALID') && (isForged || code === undefined)) return [];
    const rule = isForged ? 'forgery_admitted' : 'record_refused';
    return [{ rule, operationId: null, text: `record ${item.id} (${item.about.kind}): ${code ?? 'admitted'}` }];
  });

const told = (run: Run): string[] =>
  run.verdicts.map(({ verdict }) =>
    [verdict.verdict_id, verdict.verdict, verdict.reason, verdict.decided_at].join(' '),
  );

/** Without the forgeries, every verdict is the same. */
const forgeriesUnheard = (run: Run): Breach[] => {
  const honest = run.delivered.filter(({ item }) => item.about.kind !== 'forged');
  if (honest.length === run.delivered.length) return [];
  // A house's shards have times of their own: both sides are played at one.
  const heard = run.isCore ? run : redeliver(run, run.delivered);
  const [one, other] = [told(heard).sort(), told(redeliver(run, honest)).sort()];
  const different = one.find((text, index) => text !== other[index]);
  if (different === undefined && one.length === other.length) return [];
  return [{ rule: 'forgery_heard', operationId: null, text: different ?? 'a verdict too few' }];
};

/** The state without what tells of the order of arrival: what was published and sealed when, the repeats, the log's coordinates. */
export const content = (state: PaymentState): string => {
  const operations = Object.fromEntries(
    Object.entries(state.operations)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, operation]) => [id, { ...operation, published: [], receipt: null }]),
  );
  const sorted = (name: string, value: unknown): unknown => {
    // Of two answers alike that were observed in the same millisecond either may be kept: only the log's coordinates differ.
    if (name === 'source') return undefined;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify({ ...state, operations, dropped: {}, evaluateAt: null }, sorted);
};

const finals = (run: Run): Map<string, string> =>
  new Map(
    operationsOf(run.world).map((operation) => {
      const last = revisionsOf(run, operation).at(-1)?.verdict;
      return [operation.id, `${last?.verdict} ${last?.class} ${last?.reason}`];
    }),
  );

const firstDifference = (a: string, b: string): string => {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  const from = Math.max(0, index - 60);
  return `…${a.slice(from, index + 60)}… against …${b.slice(from, index + 60)}…`;
};

/** The same records in the order of their own times end in the same state and the same verdicts. */
export const orderUnseen = (run: Run): Breach[] => {
  const sorted = redeliver(run, sortRecords(run.delivered));
  const breaches: Breach[] = [];
  for (const [key, state] of run.states) {
    const other = sorted.states.get(key);
    const [one, two] = [content(state), other === undefined ? 'no state' : content(other)];
    if (one !== two)
      breaches.push({ rule: 'order_shows', operationId: null, text: `${key}: ${firstDifference(one, two)}` });
  }
  const others = finals(sorted);
  for (const [operationId, text] of finals(run)) {
    const other = others.get(operationId);
    if (text !== other) breaches.push({ rule: 'order_shows', operationId, text: `${text}, sorted: ${other}` });
  }
  return breaches;
};

/** Reads keep to the contract's attempts; an event's own poll and the last read at the deadline are bounded too. */
const readsKept = (run: Run): Breach[] => {
  const breaches: Breach[] = [];
  if (run.isEndless) breaches.push({ rule: 'reads_exceeded', operationId: null, text: 'the reads do not end' });
  const counts = new Map<string, number>();
  const seen = new Set<number>();
  for (const { item } of run.delivered) {
    if (item.about.kind !== 'read' || item.about.outcome === 'error' || seen.has(item.id)) continue;
    seen.add(item.id);
    const { operationId, channel, purpose } = item.about;
    const kind = purpose === 'event' || purpose === 'deadline' ? purpose : 'scheduled';
    const name = `${operationId} ${channel} ${kind}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const operation of operationsOf(run.world)) {
    const { contract, version } = operation;
    const timing = contractsOf(run.weather).resolve(contract, version, operation.createdAt)?.contract.timing;
    const events = operation.payment.refunds.flatMap(({ changes }) => changes).length * 2;
    const limits = {
      scheduled: (timing?.max_attempts ?? 0) + 10,
      event: 40 * (events + 1),
      deadline: 4 * (events + 2),
    };
    for (const [kind, limit] of Object.entries(limits)) {
      for (const channel of ['refund_readback', 'payment_readback']) {
        const count = counts.get(`${operation.id} ${channel} ${kind}`) ?? 0;
        if (count <= limit) continue;
        const text = `${count} ${kind} reads of ${channel}, at most ${limit}`;
        breaches.push({ rule: 'reads_exceeded', operationId: operation.id, text });
      }
    }
  }
  return breaches;
};

/** An event that a verified refund failed gets read back and believed, where reads come back at all. */
const failureFollowed = (run: Run): Breach[] => {
  const evidence = new Evidence(run);
  const refunds = new Map(refundsOf(run.world).map((refund) => [refund.id, refund]));
  return operationsOf(run.world).flatMap((operation): Breach[] => {
    const last = revisionsOf(run, operation).at(-1);
    const refund = refunds.get(last?.verdict.refund?.id ?? '');
    if (last?.verdict.verdict !== 'VERIFIED' || refund === undefined) return [];
    if (goodRefund(run.world, operation) !== null) return [];
    const deadAt = Math.max(evidence.deadEventAt(refund), last.at);
    if (changeAt(refund, run.world.endsAt)?.standing !== 'dead' || deadAt + 2 * HOUR_MS > run.world.endsAt) return [];
    return [
      { rule: 'verified_after_failure', operationId: operation.id, text: `an event said that ${refund.id} failed` },
    ];
  });
};

/** Every rule over a whole run. */
export const checkRun = (run: Run): Breach[] => [
  ...judgeRun(run),
  ...toldTruly(run),
  ...admitted(run),
  ...forgeriesUnheard(run),
  ...orderUnseen(run),
  ...readsKept(run),
  ...failureFollowed(run),
];
