import { describe, expect, it } from 'vitest';
import { createSealCheck, sealValue } from '../../../src/records/index.ts';

const AT = Date.parse('2026-09-01T12:00:00Z');
const first = { id: 'gw-1', secret: 'a secret of the gateway' };
const second = {
  id: 'gw-2',
  secret: 'its successor, rotated in',
  from: '2026-09-01T00:00:00Z',
  to: '2026-10-01T00:00:00Z',
};
const value = Buffer.from('{"kind":"webhook.received"}');
const check = createSealCheck('required', [first, second]);
const refusal = (header: string | undefined, at = AT, bytes: Uint8Array = value) =>
  check('webhook-received', bytes, header, at);

describe('a seal', () => {
  it('holds for the value it was made of, with any key', () => {
    expect(refusal(sealValue(value, first))).toBeNull();
    expect(refusal(sealValue(value, second))).toBeNull();
  });

  it('is the key id and the HMAC-SHA256 in base64', () => {
    // RFC 4231, test case 2
    const hmac = Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString(
      'base64',
    );
    expect(sealValue(Buffer.from('what do ya want for nothing?'), { id: 'k', secret: 'Jefe' })).toBe(`k:${hmac}`);
  });

  it('does not hold for other bytes, and the reason tells no secret', () => {
    const refused = refusal(sealValue(value, first), AT, Buffer.from('{"kind":"webhook.received" }'));
    expect(refused).toEqual({
      code: 'SEAL_INVALID',
      reason:
        'header countersign-seal does not seal this value with key "gw-1": the value was changed or the secret differs',
    });
  });

  it('does not hold with a key of another name or another secret', () => {
    expect(refusal(sealValue(value, { ...first, id: 'gw-9' }))?.reason).toContain(
      'names key "gw-9", should name one of',
    );
    expect(refusal(sealValue(value, { ...first, secret: 'guessed' }))?.code).toBe('SEAL_INVALID');
    expect(refusal('gw-1:')?.code).toBe('SEAL_INVALID');
    expect(refusal('nonsense')?.reason).toBe('header countersign-seal was no seal, should be <key id>:<base64>');
  });

  it('holds only while its key is valid', () => {
    const sealed = sealValue(value, second);
    expect(refusal(sealed, Date.parse('2026-08-31T23:59:59.999Z'))?.reason).toContain('was not valid when');
    expect(refusal(sealed, Date.parse('2026-09-01T00:00:00Z'))).toBeNull();
    expect(refusal(sealed, Date.parse('2026-10-01T00:00:00Z'))?.code).toBe('SEAL_INVALID');
  });

  it('is asked for as the mode says, and never of a payment service', () => {
    expect(refusal(undefined)).toEqual({
      code: 'SEAL_MISSING',
      reason: 'header countersign-seal was missing, should seal a record of webhook-received',
    });
    expect(check('operation-started', value, undefined, AT)).toBeNull();
    const accepting = createSealCheck('accept', [first]);
    expect(accepting('readback-result', value, undefined, AT)).toBeNull();
    expect(accepting('readback-result', value, 'gw-1:AAAA', AT)?.code).toBe('SEAL_INVALID');
    expect(createSealCheck('off', [])('review-decided', value, 'x', AT)).toBeNull();
  });

  it('wants instants for the period of a key', () => {
    expect(() => createSealCheck('accept', [{ ...first, from: 'today' }])).toThrow(
      'seal key gw-1: from must be an RFC 3339 instant',
    );
  });
});
