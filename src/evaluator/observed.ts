import { countRefunds, type RefundCount } from './attribution.ts';
import type { CompiledChannel, CompiledContract, Lookup } from './compile.ts';
import type { Binding, JudgeableOperation, PaymentView } from './correlation.ts';
import { predates, staleUntil } from './correlation.ts';
import { isOutdated, type RefundView } from './fold.ts';
import { parseInstant, printInstant } from './instant.ts';
import { isBefore } from './intent.ts';
import { own } from './json.ts';
import type { EpochMs } from './observation.ts';
import type { Path } from './path.ts';
import { valueAt } from './path.ts';
import { CHANNEL_UNDECLARED, MISSING, NO_ANSWER, type Seen, seenValue } from './seen.ts';
import type { EventEntry, FoldedRead, ListRead, RefundState } from './state.ts';

/** One operation under evaluation: its contract, its payment, and what was worked out on the way. */
export class Subject {
  readonly view: PaymentView;
  readonly operation: JudgeableOperation;
  readonly contract: CompiledContract;
  readonly now: EpochMs;
  readonly binding: Binding | null;
  /** the bound refund, where it is kept: all that is known of it, and source by source */
  readonly refund: RefundView | undefined;
  readonly sources: RefundState | undefined;
  /** until when a read of the bound refund may not disprove; long ago where none is bound */
  readonly staleUntil: EpochMs;
  #count: RefundCount | null = null;
  /** by the slot of the path, what it leads to */
  readonly #seen: (Seen | undefined)[] = [];
  /** by the place of the channel, its events */
  readonly #events: (readonly EventEntry[] | undefined)[] = [];

  constructor(view: PaymentView, operation: JudgeableOperation, now: EpochMs) {
    this.view = view;
    this.operation = operation;
    this.contract = operation.contract;
    this.now = now;
    this.binding = view.bindings.get(operation.id) ?? null;
    const id = this.binding?.refundId ?? '';
    this.refund = view.refunds.get(id);
    this.sources = own(view.payment.refunds, id);
    this.staleUntil =
      this.binding === null ? Number.NEGATIVE_INFINITY : staleUntil(this.binding.refundId, this.refund, operation);
  }

  /** Counted when it is first asked for: not every question is about the refunds beside the operation's own. */
  get count(): RefundCount {
    this.#count ??= countRefunds(this.view, this.operation, this.now);
    return this.#count;
  }

  /** The bound refund's answer in a readback channel. */
  readOf(channel: string): FoldedRead | null {
    return own(this.sources?.reads ?? {}, channel) ?? null;
  }

  listOf(channel: string): ListRead | null {
    return own(this.view.payment.lists, channel) ?? null;
  }

  /** Whether a newer event tells of another state of the bound refund than this answer. */
  isOutdated(answer: FoldedRead): boolean {
    return this.sources !== undefined && isOutdated(answer, this.sources);
  }

  /** The channel's events, oldest first. */
  eventsOf(channel: CompiledChannel): readonly EventEntry[] {
    const held = this.#events[channel.index];
    if (held !== undefined) return held;
    const found = this.view.payment.events.filter((event) => this.#matches(event, channel));
    this.#events[channel.index] = found;
    return found;
  }

  /** What a path leads to: looked up once, however many rules ask. */
  look(lookup: Lookup): Seen {
    const held = this.#seen[lookup.slot];
    if (held !== undefined) return held;
    const seen = look(this, lookup);
    this.#seen[lookup.slot] = seen;
    return seen;
  }

  #matches(event: EventEntry, channel: CompiledChannel): boolean {
    const wanted = channel.events;
    if (wanted === null || event.role !== 'refund' || !wanted.types.includes(event.type)) return false;
    if (wanted.statuses !== undefined && (event.status === null || !wanted.statuses.includes(event.status)))
      return false;
    if (wanted.of === 'refund') return this.binding !== null && event.refundId === this.binding.refundId;
    const refund = event.refundId === null ? undefined : this.view.refunds.get(event.refundId);
    if (refund?.createdAt != null) return predates(refund, this.operation) !== true;
    const occurred = event.occurredAt === null ? null : parseInstant(event.occurredAt);
    const started = this.operation.intent.createdAt;
    const when = occurred ?? { startMs: event.at, endMs: event.at + 1 };
    return !isBefore(when, started, this.contract.contract.timing.clock_skew_ms);
  }
}

const distinctRefunds = (events: readonly EventEntry[]): string[] => [
  ...new Set(events.map((event) => event.refundId ?? `event ${event.key}`)),
];

/** The refunds that the literal count of a payment's event channel counts. */
export const refundsInEvents = (subject: Subject, channel: CompiledChannel): string[] =>
  distinctRefunds(subject.eventsOf(channel)).filter((id) => !id.startsWith('event '));

const attributed = (subject: Subject): Seen => {
  const { least, most, why } = subject.count;
  return least === most ? seenValue(least) : { kind: 'interval', least, most, why };
};

const timeOf = (event: EventEntry): string => event.occurredAt ?? printInstant(event.at);
const startOf = (event: EventEntry): number => parseInstant(timeOf(event))?.startMs ?? event.at;

const eventField = (subject: Subject, channel: CompiledChannel, segments: readonly (string | number)[]): Seen => {
  const events = subject.eventsOf(channel);
  const isOfPayment = channel.events?.of === 'payment';
  switch (segments[0]) {
    case 'count':
      if (!isOfPayment) return seenValue(events.length);
      if (subject.contract.contract.evidence.attribution === 'operations') return attributed(subject);
      return seenValue(distinctRefunds(events).length);
    case 'types':
      return seenValue(valueAt([...new Set(events.map((event) => event.type))].sort(), segments.slice(1)));
    case 'latest':
    case 'earliest': {
      const byTime = [...events].sort((a, b) => startOf(a) - startOf(b));
      const event = segments[0] === 'latest' ? byTime.at(-1) : byTime[0];
      return seenValue(event === undefined ? undefined : timeOf(event));
    }
    case 'duplicates_dropped':
      return seenValue(droppedRepeats(subject, isOfPayment));
    case 'events':
      return seenValue(
        valueAt(
          events.map(({ id, type, refundId, status, at }) => ({
            id,
            type,
            refund_id: refundId,
            status,
            received_at: printInstant(at),
          })),
          segments.slice(1),
        ),
      );
    default:
      return MISSING;
  }
};

/** Redelivered events that dedupe dropped: of the bound refund, or of the payment. */
export const droppedRepeats = (subject: Subject, isOfPayment: boolean): number => {
  const { dropped } = subject.view.payment;
  if (!isOfPayment) return subject.binding === null ? 0 : (own(dropped, subject.binding.refundId) ?? 0);
  let sum = 0;
  for (const repeats of Object.values(dropped)) sum += repeats;
  return sum;
};

const listField = (subject: Subject, channel: CompiledChannel, { path, isVolatile }: Lookup): Seen => {
  const list = subject.listOf(channel.name);
  if (list === null) return NO_ANSWER;
  if (path.segments[0] === 'count') return attributed(subject);
  let completedAt = Number.NEGATIVE_INFINITY;
  for (const action of subject.operation.state.actions) completedAt = Math.max(completedAt, action.at);
  const mayLag = list.at < completedAt + subject.contract.contract.timing.stale_read_window_ms;
  return seenValue(valueAt(list.body, path.segments), isVolatile && mayLag);
};

const observedAt = (subject: Subject, lookup: Lookup): Seen => {
  const { channel, path } = lookup;
  if (channel === null) return CHANNEL_UNDECLARED;
  if (channel.events !== null) return eventField(subject, channel, path.segments);
  if (channel.reads === 'payment') return listField(subject, channel, lookup);
  const read = subject.readOf(channel.name);
  if (read === null) return NO_ANSWER;
  const isSuspect = lookup.isVolatile && (read.at < subject.staleUntil || subject.isOutdated(read));
  return seenValue(valueAt(read.body, path.segments), isSuspect);
};

const actionAt = (subject: Subject, path: Path): Seen => {
  const { actions } = subject.operation.state;
  // A result beats an error, and the result that named the bound refund beats the others.
  const bound = subject.binding?.strategy === 'resource_id' ? subject.binding.refundId : null;
  const action =
    actions.find((one) => one.result !== null && one.refundId === bound) ??
    actions.find((one) => one.result !== null) ??
    actions.at(-1);
  if (action === undefined) return MISSING;
  const error = action.error;
  return seenValue(
    valueAt(
      {
        result: action.result,
        completed_at: action.completedAt,
        error: error === null ? null : { kind: error.kind, http_status: error.httpStatus, code: error.code },
      },
      path.segments,
    ),
  );
};

const look = (subject: Subject, lookup: Lookup): Seen => {
  const { operation, binding } = subject;
  const { path } = lookup;
  const { start } = operation;
  switch (path.root) {
    case 'observed':
      return observedAt(subject, lookup);
    case 'action':
      return actionAt(subject, path);
    case 'input':
      return seenValue(valueAt(start.input, path.segments));
    case 'operation':
      return seenValue(
        valueAt(
          { id: operation.id, created_at: start.createdAt, idempotency_key: start.idempotencyKey },
          path.segments,
        ),
      );
    case 'bound':
      if (binding === null) return MISSING;
      return seenValue(
        valueAt(
          {
            refund_id: binding.refundId,
            payment_id: subject.refund?.paymentId ?? null,
            strategy: binding.strategy,
            assurance: binding.assurance,
          },
          path.segments,
        ),
      );
  }
};
