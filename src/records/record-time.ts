import { type EpochMs, instantMs } from '../evaluator/index.ts';
import type { InputRecord } from './records.ts';

/**
 * A record's own time: created_at, completed_at, received_at, observed_at, decided_at or requested_at. A start that already holds its
 * action's answer is as late as the answer.
 */
export const recordTime = (record: InputRecord): EpochMs => {
  switch (record.kind) {
    case 'operation.started': {
      const action = record.action ?? null;
      const created = epochOf(record.created_at);
      return action === null ? created : Math.max(created, epochOf(action.completed_at));
    }
    case 'operation.acted':
      return epochOf(record.action.completed_at);
    case 'webhook.received':
      return epochOf(record.received_at);
    case 'charge.receipt':
    case 'refund.receipt':
      return epochOf(record.received_at);
    case 'handoff.requested':
    case 'handoff.bound':
      return epochOf(record.requested_at);
    case 'readback.result':
      return epochOf(record.observed_at);
    case 'review.decided':
      return epochOf(record.decided_at);
  }
};

/** The schemas have seen to it that the text is an instant. */
const epochOf = (text: string): EpochMs => Number(instantMs(text));
