import { describe, expect, it } from 'vitest';
import type { Contract, Json, Observation, Operator } from '../../../src/evaluator/index.ts';
import { CHANNELS, condition, SMALL, type SmallGiven, smallSet } from '../../support/small-contract.ts';
import {
  acted,
  actionFailed,
  at,
  event,
  judgedAfter,
  list,
  outcomeAfter,
  read,
  refundFacts,
  started,
} from '../../support/story.ts';

const BOUND = [started('op-1', 0, SMALL), acted('op-1', 1, 'R1')];

/** What a path shows after some records: its text, or why it is unknown. */
const shown = (path: string, log: readonly Observation[], given: SmallGiven = {}): string | null => {
  const contracts = smallSet({ verified: [condition({ path, operator: 'eq', expected: 'x' })], ...given });
  const [first] = judgedAfter(contracts, log, 1000);
  return first?.observed ?? first?.why ?? null;
};

const holds = (path: string, operator: Operator, expected: Json, log: readonly Observation[], given: SmallGiven = {}) =>
  outcomeAfter(smallSet({ verified: [condition({ path, operator, expected })], ...given }), log, 1000);

const LITERAL = { evidence: { attribution: 'none' } } as const;

const withEvents = (events: { statuses?: readonly string[]; of?: 'refund' | 'payment' }): Contract['channels'] => ({
  chosen: {
    level: 'E3',
    independence: 'provider_event',
    verifier: 'webhook',
    description: 'Chosen events.',
    events: { types: ['PAYMENT.CAPTURE.REFUNDED'], of: 'payment', ...events },
  },
});

describe('an event channel', () => {
  it('is never unknown: without an event its count is 0', () => {
    expect(shown('$observed.refund_events.count', BOUND)).toBe('0');
    expect(shown('$observed.payment_events.count', BOUND, LITERAL)).toBe('0');
    expect(shown('$observed.refund_events.count', BOUND.slice(0, 1))).toBe('0');
  });

  it('of the refund counts the events of the bound refund alone', () => {
    const log = [...BOUND, event('R1', 4), event('R1', 5, { type: 'REFUND.UPDATED' }), event('R2', 6)];
    expect(shown('$observed.refund_events.count', log)).toBe('2');
  });

  it('of the payment counts refunds, not deliveries, under the literal rule', () => {
    const log = [...BOUND, event('R1', 4), event('R1', 5, { status: 'PENDING' }), event('R2', 6)];
    expect(shown('$observed.payment_events.count', log, LITERAL)).toBe('2');
  });

  it('counts an event that names no refund as one of its own', () => {
    const nameless = { ...event('R1', 4), facts: null };
    const another = { ...nameless, dedupeKey: 'another' };
    expect(shown('$observed.payment_events.count', [...BOUND, nameless, another, another], LITERAL)).toBe('2');
  });

  it('leaves out what the provider dates before the operation', () => {
    const early = event('R1', 4, { created: -10 });
    const undated = { ...event('R2', 5, { created: null }), occurredAt: '2026-09-01T11:59:00Z' };
    expect(shown('$observed.payment_events.count', [...BOUND, early, undated], LITERAL)).toBe('0');
  });

  it('dates an event that prints no time by its arrival', () => {
    const undated = { ...event('R2', 5, { created: null }), occurredAt: null };
    const early = { ...event('R3', -5, { created: null }), occurredAt: null };
    expect(shown('$observed.payment_events.count', [...BOUND, undated, early], LITERAL)).toBe('1');
  });

  it('takes only the statuses that it names', () => {
    const channels = withEvents({ statuses: ['COMPLETED'] });
    const nameless = { ...event('R4', 7), facts: null };
    const log = [...BOUND, event('R1', 4), event('R2', 5, { status: 'PENDING' }), nameless];
    expect(shown('$observed.chosen.count', log, { channels, ...LITERAL })).toBe('1');
  });

  it('takes only its types, and only refunds', () => {
    const log = [...BOUND, event('R1', 4, { type: 'OTHER' }), event('R2', 5, { role: 'reversal' })];
    expect(shown('$observed.payment_events.count', log, LITERAL)).toBe('0');
  });

  const two = [...BOUND, event('R1', 9, { type: 'REFUND.UPDATED' }), event('R1', 4)];

  it('has the types it saw, each once, sorted', () => {
    expect(shown('$observed.refund_events.types[0]', two)).toBe('PAYMENT.CAPTURE.REFUNDED');
    expect(holds('$observed.refund_events.types', 'includes', 'REFUND.UPDATED', two)).toBe('true');
    expect(holds('$observed.refund_events.types[2]', 'eq', 'x', two)).toBe('unknown missing');
  });

  it('has its earliest and latest event, by the time that the provider printed', () => {
    expect(shown('$observed.refund_events.earliest', two)).toBe('2026-09-01T12:00:04.000Z');
    expect(shown('$observed.refund_events.latest', two)).toBe('2026-09-01T12:00:09.000Z');
    expect(shown('$observed.refund_events.latest', BOUND)).toBe('missing');
  });

  it('dates its latest event by arrival where the provider printed no time, or none that can be read', () => {
    const undated = { ...event('R1', 20, { eventId: 'WH-9' }), occurredAt: null };
    expect(shown('$observed.refund_events.latest', [...two, undated])).toBe('2026-09-01T12:00:20.000Z');
    const odd = { ...event('R1', 20, { eventId: 'WH-9' }), occurredAt: 'just now' };
    expect(shown('$observed.refund_events.latest', [...two, odd])).toBe('just now');
    expect(shown('$observed.refund_events.earliest', [...two, odd])).toBe('2026-09-01T12:00:04.000Z');
  });

  it('lists its events with what they name', () => {
    expect(shown('$observed.refund_events.events[0].refund_id', two)).toBe('R1');
    expect(shown('$observed.refund_events.events[0].status', two)).toBe('COMPLETED');
    expect(shown('$observed.refund_events.events[1].received_at', two)).toBe('2026-09-01T12:00:09.000Z');
  });

  it('counts the repeats that were dropped: of the bound refund, or of the payment', () => {
    const log = [...BOUND, event('R1', 4), event('R1', 5), event('R2', 6), event('R2', 7), event('R2', 8)];
    const repeats = log.map((one) => (one.kind === 'event' ? { ...one, dedupeKey: `${one.facts?.refundId}` } : one));
    expect(shown('$observed.refund_events.duplicates_dropped', repeats)).toBe('1');
    expect(shown('$observed.payment_events.duplicates_dropped', repeats)).toBe('3');
    expect(shown('$observed.refund_events.duplicates_dropped', two)).toBe('0');
    expect(
      shown(
        '$observed.refund_events.duplicates_dropped',
        repeats.filter(({ kind }) => kind !== 'acted'),
      ),
    ).toBe('0');
  });

  it('has no other field', () => {
    expect(shown('$observed.refund_events.constructor', two)).toBe('missing');
  });
});

describe('a readback channel', () => {
  it('without an answer is unknown', () => {
    expect(shown('$observed.refund_readback.status', BOUND)).toBe('no_answer');
    expect(shown('$observed.refund_readback.status', BOUND.slice(0, 1))).toBe('no_answer');
  });

  it('that the contract does not declare is unknown', () => {
    expect(shown('$observed.elsewhere.status', BOUND)).toBe('channel_undeclared');
    expect(shown('$observed.constructor.status', BOUND)).toBe('channel_undeclared');
  });

  it('shows the fields of the answer', () => {
    expect(shown('$observed.refund_readback.amount.value', [...BOUND, read('op-1', 30, 'R1')])).toBe('10.00');
  });

  it('that lists the payment counts refunds as every event does', () => {
    const listed = list('op-1', 30, [refundFacts('R1', 2, {}), refundFacts('R2', 3, {})]);
    expect(shown('$observed.payment_readback.count', [...BOUND, listed])).toBe('2');
    expect(shown('$observed.payment_readback.count', BOUND)).toBe('no_answer');
  });
});

describe("the action's answer", () => {
  it('is missing before any', () => {
    expect(shown('$action.result.id', BOUND.slice(0, 1))).toBe('missing');
  });

  it('is the result that named the bound refund', () => {
    const other = { ...acted('op-1', 0.5, 'R0'), facts: null };
    expect(shown('$action.result.id', [...BOUND, other])).toBe('R1');
  });

  it('is any result before an error', () => {
    const nameless = { ...acted('op-1', 2, 'R1'), facts: null };
    const log = [started('op-1', 0, SMALL), nameless, actionFailed('op-1', 3)];
    expect(shown('$action.result.id', log)).toBe('R1');
    expect(shown('$action.completed_at', log)).toBe('2026-09-01T12:00:02.000Z');
  });

  it('is the last error without a result', () => {
    const log = [started('op-1', 0, SMALL), actionFailed('op-1', 2), actionFailed('op-1', 3, 'declined')];
    expect(shown('$action.error.kind', log)).toBe('declined');
    expect(shown('$action.error.http_status', log)).toBe('422');
    expect(shown('$action.result.id', log)).toBe('missing');
  });
});

describe('the other roots', () => {
  it('show the operation', () => {
    expect(shown('$operation.id', BOUND)).toBe('op-1');
    expect(shown('$operation.idempotency_key', BOUND)).toBe('op-1');
    expect(shown('$operation.created_at', BOUND)).toBe('2026-09-01T12:00:00.000Z');
  });

  it('show what correlation bound', () => {
    const log = [...BOUND, event('R1', 4)];
    expect(shown('$bound.refund_id', log)).toBe('R1');
    expect(shown('$bound.payment_id', log)).toBe('3C679366HH908993R');
    expect(shown('$bound.payment_id', BOUND)).toBe('missing');
    expect(shown('$bound.strategy', log)).toBe('resource_id');
    expect(shown('$bound.refund_id', BOUND.slice(0, 1))).toBe('missing');
  });
});

describe('names from outside', () => {
  it.each(['constructor', '__proto__', 'toString'])('%s is a refund and a channel like any other', (name) => {
    const log = [
      started('op-1', 0, SMALL),
      acted('op-1', 1, name),
      event(name, 4),
      event(name, 5),
      read('op-1', 30, name),
      { ...read('op-1', 31, name), channel: name },
      { ...list('op-1', 32, [refundFacts(name, 2, {})]), channel: name },
    ].map((one) => (one.kind === 'event' ? { ...one, dedupeKey: name } : one));
    expect(shown('$observed.refund_events.duplicates_dropped', log)).toBe('1');
    expect(shown('$observed.refund_readback.status', log)).toBe('COMPLETED');
    expect(shown('$bound.refund_id', log)).toBe(name);
    const channels = { ...CHANNELS, [name]: CHANNELS['refund_readback'] } as Contract['channels'];
    expect(shown(`$observed.${name}.id`, log, { channels })).toBe(name);
    expect(log[4]?.at).toBe(at(30));
  });
});
