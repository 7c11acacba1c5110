import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packState, unpackState } from '../../../src/drivers/packed-state.ts';
import { STATE_DICTIONARY } from '../../../src/drivers/state-dictionary.ts';

const bytesOf = (packed: string | Buffer): Buffer => (typeof packed === 'string' ? Buffer.from(packed) : packed);

const STATE =
  '[1,"paypal","merchant-1","3C679366HH908993R",1788220914762,["operation-started","webhook-received"],[["op-1",' +
  '["paypal.refund.completed","1.1.0","2026-09-01T12:00:00.350Z",null,null,{"capture_id":"3C679366HH908993R",' +
  '"amount":"10.00","currency_code":"USD"},"0n3AQUhRKqLUYBIyHXJRO227std4fkETEUonznju-10",[0,0,4310]]]],[],[],[],[],0]';

test('what is stored is read back, settled or not, whatever it holds', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 600 }), fc.constant(STATE));
  fc.assert(
    fc.property(text, fc.constantFrom('', '\u0001', '['), fc.boolean(), (rest, first, isSettled) => {
      expect(unpackState('p', bytesOf(packState(first + rest, isSettled)))).toBe(first + rest);
    }),
  );
});

test('compresses a settled state to less than half, and leaves one that will change again as it is', () => {
  expect(packState(STATE, false)).toBe(STATE);
  expect(packState(STATE, true).length).toBeLessThan(STATE.length / 2);
  expect(packState('[1,"short"]', true)).toBe('[1,"short"]');
});

test('says of a broken value which payment it is of', () => {
  expect(() => unpackState('paypal:m:p', Buffer.of(1, 255, 255))).toThrow(
    expect.objectContaining({ code: 'STATE_UNAVAILABLE', message: expect.stringContaining('paypal:m:p') }),
  );
});

test('the dictionary is the one that stored values were made with', () => {
  const digest = createHash('sha256').update(STATE_DICTIONARY).digest('hex');
  expect(digest).toBe('2573870a70d733d583ccee5d86c14222a07399bc7ccc1ed227605bee34836d54');
});
