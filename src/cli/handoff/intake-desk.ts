import type { Clock } from '../../ports/clock.ts';
import type { HandoffLookup } from '../../ports/handoff-lookup.ts';
import type { HandoffProofs } from '../../ports/handoff-proofs.ts';
import { systemTimers } from '../../ports/timers.ts';
import type { ApiClient } from '../../producers/gateway/api-key.ts';
import { HandoffIntake } from '../../producers/gateway/handoff-intake.ts';
import type { ProducerOptions } from '../../producers/outgoing.ts';
import type { HandoffDesk } from './desk.ts';

/** Who works on this machine may speak of every account. */
const OPERATOR: ApiClient = { id: 'cli', scopes: new Set(['handoffs:write', 'handoffs:read']), accounts: null };

export interface IntakeDeskOptions {
  readonly producer: ProducerOptions;
  readonly proofs: HandoffProofs;
  readonly lookup: HandoffLookup;
  readonly clock: Clock;
  readonly waitMs: number;
  readonly close: () => Promise<void>;
}

/** A desk that takes requests in this process, by the same door as the gateway. */
export const intakeDesk = ({ lookup, close, ...options }: IntakeDeskOptions): HandoffDesk => {
  const intake = new HandoffIntake({ ...options, lookup, timers: systemTimers });
  return { ask: (body) => intake.request(OPERATOR, body), show: (id) => lookup.decided(id, null), close };
};
