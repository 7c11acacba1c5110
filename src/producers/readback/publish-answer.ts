import { OperatingError } from '../../errors.ts';
import { printInstant } from '../../evaluator/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadOutcome, ReadRequest } from '../../ports/provider-reader.ts';
import type { ClaimedRead } from '../../ports/shard-store.ts';
import type { Timers } from '../../ports/timers.ts';
import type { ReadbackFields, ReadbackProducer } from '../readback-producer.ts';
import type { Turn } from './lane.ts';

type Answered = Extract<Turn, { outcome: 'answered' }>;

interface Publishing {
  readonly producer: ReadbackProducer;
  readonly backoff: { readonly minMs: number; readonly maxMs: number };
  readonly clock: Clock;
  readonly timers: Timers;
}

const outcomeFields = (answer: ReadOutcome): Pick<ReadbackFields, 'outcome' | 'http_status' | 'body' | 'error'> => {
  switch (answer.outcome) {
    case 'ok':
      return { outcome: 'ok', http_status: answer.httpStatus, body: answer.body };
    case 'absent':
      return { outcome: 'absent', http_status: answer.httpStatus };
    case 'error': {
      const { kind, message, httpStatus, retryAfterMs } = answer;
      return {
        outcome: 'error',
        ...(httpStatus === null ? {} : { http_status: httpStatus }),
        error: {
          kind,
          message: message.slice(0, 300),
          ...(retryAfterMs === null ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }),
        },
      };
    }
  }
};

const fieldsOf = (
  read: ClaimedRead,
  request: ReadRequest,
  { answer, requestedAt, observedAt }: Answered,
): ReadbackFields => ({
  operation_id: read.operationId,
  provider: request.provider,
  account: request.account,
  payment_id: request.paymentId,
  channel: read.channel,
  purpose: read.purpose,
  ...(read.resourceId === null ? {} : { resource_id: read.resourceId }),
  attempt: read.attempt,
  requested_at: printInstant(requestedAt),
  observed_at: printInstant(observedAt),
  ...outcomeFields(answer),
});

const tooLarge = (turn: Answered): Answered => ({
  ...turn,
  answer: {
    outcome: 'error',
    kind: 'malformed',
    message: 'the answer is larger than a record may be',
    httpStatus: turn.answer.httpStatus,
    retryAfterMs: null,
  },
});

/**
 * Publishes an answer, again and again while the broker is away. Resolves once the log keeps it.
 *
 * @param signal aborted: the process stops, and does not wait for the broker
 * @throws OperatingError BROKER_UNAVAILABLE where the lease ended first: the read will be done again
 */
export const publishAnswer = async (
  { producer, backoff, clock, timers }: Publishing,
  read: ClaimedRead,
  request: ReadRequest,
  turn: Answered,
  leaseUntil: number,
  signal: AbortSignal,
): Promise<void> => {
  let told = turn;
  for (let waitMs = backoff.minMs; ; waitMs = Math.min(waitMs * 2, backoff.maxMs)) {
    try {
      await producer.answered(fieldsOf(read, request, told));
      return;
    } catch (error) {
      if (!(error instanceof OperatingError)) throw error;
      const isTooLarge = error.code === 'RECORD_TOO_LARGE' || error.code === 'RECORD_MALFORMED';
      if (isTooLarge && told === turn && turn.answer.outcome === 'ok') {
        told = tooLarge(turn);
        continue;
      }
      if (!error.retryable || signal.aborted || clock.now() + waitMs >= leaseUntil) throw error;
      await timers.wait(waitMs, signal);
    }
  }
};
