import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/evaluator/index.ts';
import { createHandoffProofs } from '../../../src/handoff/index.ts';
import type { HandoffLookup } from '../../../src/ports/handoff-lookup.ts';
import type { OutgoingRecord } from '../../../src/ports/record-sink.ts';
import type { ApiClient } from '../../../src/producers/gateway/api-key.ts';
import { HandoffIntake } from '../../../src/producers/gateway/handoff-intake.ts';
import { ISSUERS, request } from '../../support/handoff.ts';

const client = (accounts: readonly string[] | null = null): ApiClient => ({
  id: 'planner',
  scopes: new Set(['handoffs:write']),
  accounts: accounts === null ? null : new Set(accounts),
});

/** An intake whose consumer never answers. @param payments those that have the charge */
const intakeOver = (payments: readonly string[]) => {
  const sent: OutgoingRecord[] = [];
  let now = Date.parse('2026-09-01T12:00:00Z');
  const lookup: HandoffLookup = {
    paymentsOfCharge: async () => payments,
    note: async () => undefined,
    decided: async () => null,
  };
  const intake = new HandoffIntake({
    producer: {
      source: '/test',
      sink: { write: async (records) => void sent.push(...records), close: async () => undefined },
    },
    proofs: createHandoffProofs(ISSUERS),
    lookup,
    clock: { now: () => now },
    timers: {
      wait: async (ms) => {
        now += ms;
      },
    },
    waitMs: 1_000,
  });
  return { intake, sent };
};

const body = (over: object = {}): JsonObject => {
  const {
    kind: _k,
    requested_at: _r,
    provider: _p,
    account: _a,
    payment_id: _i,
    ...rest
  } = request(over) as Record<string, unknown>;
  return rest as JsonObject;
};

const HERE = 'stripe:shop-1:ch:1';

describe('a request for a plan', () => {
  it('is published under its authority, with our time, and pending where nobody answers in time', async () => {
    const { intake, sent } = intakeOver([HERE]);
    const answer = await intake.request(client(), body());
    expect(answer).toMatchObject({ outcome: 'pending', paymentKey: HERE });
    expect(sent).toMatchObject([{ topic: 'handoff-requested', key: 'authority:risk:auth-1' }]);
    expect(JSON.parse(String(sent[0]?.value))).toMatchObject({
      payment_id: 'ch:1',
      requested_at: '2026-09-01T12:00:00.000Z',
    });
  });

  it('without an authority is published all the same, so that its refusal is on record', async () => {
    const { intake, sent } = intakeOver([HERE]);
    const answer = await intake.request(client(), body({ authority: null }));
    expect(answer.outcome === 'pending' && sent[0]?.key === answer.handoffId).toBe(true);
  });

  it('goes nowhere where the charge is of several payments, of none, or of another account', async () => {
    const several = intakeOver([HERE, 'stripe:shop-1:ch_2']);
    const none = intakeOver([]);
    const codes = async (of: ReturnType<typeof intakeOver>, who: ApiClient): Promise<unknown> => {
      const answer = await of.intake.request(who, body());
      expect(of.sent).toEqual([]);
      return answer.outcome === 'unknown' ? answer.refusals.map(({ code }) => code) : answer;
    };
    expect(await codes(several, client())).toEqual(['charge_conflict']);
    expect(await codes(none, client())).toEqual(['charge_unknown']);
    expect(await codes(intakeOver([HERE]), client(['stripe:shop-2']))).toEqual(['charge_unknown']);
  });

  it('may name its payment, of an account that its key speaks of', async () => {
    const named = { ...body(), provider: 'stripe', account: 'shop-1', payment_id: 'ch_9' };
    const { intake, sent } = intakeOver([]);
    await expect(intake.request(client(['stripe:shop-2']), named)).rejects.toMatchObject({ status: 403 });
    expect(sent).toEqual([]);
    expect(await intake.request(client(['stripe:shop-1']), named)).toMatchObject({ paymentKey: 'stripe:shop-1:ch_9' });
  });

  it('names the field that is missing, and does not take what is ours to say', async () => {
    const { intake } = intakeOver([HERE]);
    const { amount: _, ...incomplete } = body();
    await expect(intake.request(client(), incomplete)).rejects.toMatchObject({ context: { field: 'amount' } });
    await expect(intake.request(client(), { ...body(), kind: 'x' })).rejects.toMatchObject({
      context: { field: 'kind' },
    });
  });
});
