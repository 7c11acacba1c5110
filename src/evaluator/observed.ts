import { countRefunds, type RefundCount } from './attribution.ts';
import type { CompiledChannel, CompiledContract } from './compile.ts';
import type { Binding, JudgeableOperation, PaymentView } from './correlation.ts';
import { predates, staleUntil } from './correlation.ts';
import { isOutdated, type RefundView } from './fold.ts';
import { parseInstant, printInstant } from './instant.ts';
import { isBefore } from './intent.ts';
import { type Json, own } from './json.ts';
import type { EpochMs } from './observation.ts';
import type { Path } from './path.ts';
import { isWithin, valueAt } from './path.ts';
import type { EventEntry, FoldedRead, ListRead, RefundState } from './state.ts';

/** What a path leads to. `isSuspect`: a lagging read may show it wrongly, so it proves but does not disprove. */
export type Seen =
  | { readonly kind: 'value'; readonly value: Json; readonly isSuspect: boolean }
  | { readonly kind: 'interval'; readonly least: number; readonly most: number; readonly why: string | null }
  | { readonly kind: 'unknown'; readonly why: string };

const unknown = (why: string): Seen => ({ kind: 'unknown', why });
const value = (json: Json | undefined, isSuspect = false): Seen =>
  json === undefined || json === null ? unknown('missing') : { kind: 'value', value: json, isSuspect };

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
  #count: RefundCount | null = null;
  readonly #events = new Map<string, readonly EventEntry[]>();

  constructor(view: PaymentView, operation: JudgeableOperation, now: EpochMs) {
    this.view = view;
    this.operation = operation;
    this.contract = operation.contract;
    this.now = now;
    this.binding = view.bindings.get(operation.id) ?? null;
    const id = this.binding?.refundId ?? '';
    this.refund = view.refunds.get(id);
    this.sources = own(view.payment.refunds, id);
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

  /** Until when a read of the bound refund may not disprove; long ago where none is bound. */
  get staleUntil(): EpochMs {
    if (this.binding === null) return Number.NEGATIVE_INFINITY;
    return staleUntil(this.binding.refundId, this.refund, this.operation);
  }

  /** The channel's events, oldest first. */
  eventsOf(channel: CompiledChannel): readonly EventEntry[] {
    const held = this.#events.get(channel.name);
    if (held !== undefined) return held;
    const found = this.view.payment.events.filter((event) => this.#matches(event, channel));
    this.#events.set(channel.name, found);
    return found;
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
  return least === most ? value(least) : { kind: 'interval', least, most, why };
};

const timeOf = (event: EventEntry): string => event.occurredAt ?? printInstant(event.at);
const startOf = (event: EventEntry): number => parseInstant(timeOf(event))?.startMs ?? event.at;

const eventField = (subject: Subject, channel: CompiledChannel, segments: readonly (string | number)[]): Seen => {
  const [field, ...rest] = segments;
  const events = subject.eventsOf(channel);
  const isOfPayment = channel.events?.of === 'payment';
  switch (field) {
    case 'count':
      if (!isOfPayment) return value(events.length);
      if (subject.contract.contract.evidence.attribution === 'operations') return attributed(subject);
      return value(distinctRefunds(events).length);
    case 'types':
      return value(valueAt([...new Set(events.map((event) => event.type))].sort(), rest));
    case 'latest':
    case 'earliest': {
      const byTime = [...events].sort((a, b) => startOf(a) - startOf(b));
      const event = field === 'latest' ? byTime.at(-1) : byTime[0];
      return value(event === undefined ? undefined : timeOf(event));
    }
    case 'duplicates_dropped':
      return value(droppedRepeats(subject, isOfPayment));
    case 'events':
      return value(
        valueAt(
          events.map(({ id, type, refundId, status, at }) => ({
            id,
            type,
            refund_id: refundId,
            status,
            received_at: printInstant(at),
          })),
          rest,
        ),
      );
    default:
      return unknown('missing');
  }
};

/** Redelivered events that dedupe dropped: of the bound refund, or of the payment. */
export const droppedRepeats = (subject: Subject, isOfPayment: boolean): number => {
  const { dropped } = subject.view.payment;
  if (!isOfPayment) return subject.binding === null ? 0 : (own(dropped, subject.binding.refundId) ?? 0);
  return Object.values(dropped).reduce((sum, one) => sum + one, 0);
};

const listField = (subject: Subject, channel: CompiledChannel, segments: readonly (string | number)[]): Seen => {
  const list = subject.listOf(channel.name);
  if (list === null) return unknown('no_answer');
  if (segments[0] === 'count') return attributed(subject);
  const completedAt = Math.max(...subject.operation.state.actions.map((action) => action.at), Number.NEGATIVE_INFINITY);
  const isSuspect =
    list.at < completedAt + subject.contract.contract.timing.stale_read_window_ms &&
    channel.volatile.some((prefix) => isWithin(segments, prefix));
  return value(valueAt(list.body, segments), isSuspect);
};

const observedAt = (subject: Subject, path: Path & { readonly root: 'observed' }): Seen => {
  const channel = subject.contract.channels.get(path.channel);
  if (channel === undefined) return unknown('channel_undeclared');
  if (channel.events !== null) return eventField(subject, channel, path.segments);
  if (channel.reads === 'payment') return listField(subject, channel, path.segments);
  const read = subject.readOf(channel.name);
  if (read === null) return unknown('no_answer');
  const mayLag = read.at < subject.staleUntil || subject.isOutdated(read);
  const isSuspect = mayLag && channel.volatile.some((prefix) => isWithin(path.segments, prefix));
  return value(valueAt(read.body, path.segments), isSuspect);
};

const actionAt = (subject: Subject, path: Path): Seen => {
  const { actions } = subject.operation.state;
  // A result beats an error, and the result that named the bound refund beats the others.
  const bound = subject.binding?.strategy === 'resource_id' ? subject.binding.refundId : null;
  const action =
    actions.find((one) => one.result !== null && one.refundId === bound) ??
    actions.find((one) => one.result !== null) ??
    actions.at(-1);
  if (action === undefined) return unknown('missing');
  const error = action.error;
  return value(
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

/** What a path leads to for one operation. */
export const look = (subject: Subject, path: Path): Seen => {
  const { operation, binding } = subject;
  const { start } = operation;
  switch (path.root) {
    case 'observed':
      return observedAt(subject, path);
    case 'action':
      return actionAt(subject, path);
    case 'input':
      return value(valueAt(start.input, path.segments));
    case 'operation':
      return value(
        valueAt(
          { id: operation.id, created_at: start.createdAt, idempotency_key: start.idempotencyKey },
          path.segments,
        ),
      );
    case 'bound':
      if (binding === null) return unknown('missing');
      return value(
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
