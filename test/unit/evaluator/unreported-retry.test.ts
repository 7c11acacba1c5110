import { describe, expect, it } from 'vitest';
import { shipped } from '../../support/contracts.ts';
import { acted, actionFailed, event, play, read, started } from '../../support/story.ts';

/** Bound by what PayPal prints on the refund; its caller heard nothing, or not yet. */
const unreported = (id: string, seconds: number, refundId: string, customId: string) => [
  started(id, seconds, { input: { custom_id: customId } }),
  event(refundId, seconds + 4, { created: seconds + 1, echoes: [customId] }),
  read(id, seconds + 40, refundId, { created: seconds + 1, echoes: [customId] }),
];

const reported = (id: string, seconds: number, refundId: string) => [
  started(id, seconds),
  acted(id, seconds + 1, refundId),
  event(refundId, seconds + 4, { created: seconds + 1 }),
  read(id, seconds + 40, refundId, { created: seconds + 1 }),
];

const pair = [...unreported('op-1', 0, 'R1', 'custom-1'), ...reported('op-2', 100, 'R2')];

describe('an equal refund beside one whose answer nobody heard', () => {
  it('is not told to be a double while the answer may still come', () => {
    const played = play(shipped, pair, 600);
    expect([played.last('op-1').verdict, played.last('op-2').verdict]).toEqual(['PENDING', 'PENDING']);
  });

  it('is not verified where the answer was lost: a person decides', () => {
    const played = play(shipped, [...pair, actionFailed('op-1', 30)], 4 * 86_400);
    for (const id of ['op-1', 'op-2']) {
      expect(played.last(id)).toMatchObject({
        verdict: 'UNVERIFIABLE',
        findings: [{ code: 'ambiguous_owner' }],
        escalated_to: 'person',
      });
    }
  });

  it('is another partial refund once the answer came, from before it started', () => {
    const played = play(shipped, [...pair, acted('op-1', 2, 'R1')], 600);
    expect([played.last('op-1').verdict, played.last('op-2').verdict]).toEqual(['VERIFIED', 'VERIFIED']);
  });

  it('is a double once the answer came, from after it started', () => {
    const played = play(shipped, [...pair, acted('op-1', 101, 'R1')], 600);
    for (const id of ['op-1', 'op-2']) {
      expect(played.last(id)).toMatchObject({ verdict: 'CONTRADICTED', class: 'duplicate_side_effect' });
    }
  });
});

describe('a retry under a new key, long after an attempt whose answer was lost', () => {
  const first = [started('op-1', 0), actionFailed('op-1', 20), event('R1', 5, { created: 1 })];
  const retry = (seconds: number) => reported('op-2', seconds, 'R2');

  it('is not verified beside the refund that the first attempt may have made', () => {
    const played = play(shipped, [...first, ...retry(300)], 4 * 86_400);
    expect(played.last('op-2')).toMatchObject({
      verdict: 'UNVERIFIABLE',
      findings: [{ code: 'ambiguous_owner', refund_id: 'R1' }],
    });
  });

  it('is verified once that refund has failed', () => {
    const failed = event('R1', 900, { type: 'PAYMENT.REFUND.FAILED', status: 'FAILED', created: 1, updated: 890 });
    expect(play(shipped, [...first, ...retry(300), failed], 1200).last('op-2').verdict).toBe('VERIFIED');
  });
});

it('does not take an earlier refund of another payment for the lost first attempt', () => {
  const lost = [started('op-1', 0), actionFailed('op-1', 5), event('R0', 6, { created: 3, paymentId: 'OTHER' })];
  const retry = [
    started('op-2', 100),
    acted('op-2', 101, 'R2'),
    event('R2', 104, { created: 101 }),
    read('op-2', 130, 'R2', { created: 101 }),
  ];
  expect(play(shipped, [...lost, ...retry], 900).last('op-2')).toMatchObject({
    verdict: 'VERIFIED',
    duplicates: { count: 0 },
  });
});
