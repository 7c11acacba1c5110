import { describe, expect, it } from 'vitest';
import { KeySet, parseKeySet, publicKeys } from '../../../src/receipts/index.ts';
import { testKey } from '../../support/receipts.ts';

const refusal = (value: unknown): string => {
  try {
    parseKeySet(typeof value === 'string' ? value : JSON.stringify(value), 'keys.json');
    return 'taken';
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    return (error as Error).message;
  }
};

describe('a key set', () => {
  it('is read as `keys generate` and any JOSE tool write it', () => {
    const key = { ...testKey('k1'), alg: 'EdDSA', use: 'sig' };
    expect(parseKeySet(JSON.stringify({ keys: [key] }), 'keys.json').find('k1')?.record.x).toBe(key.x);
  });

  it.each([
    ['not json', 'it should be JSON'],
    [{}, 'keys: should be'],
    [{ keys: [{ ...testKey('k1'), crv: 'X25519' }] }, 'keys[0].crv: should be Ed25519'],
    [{ keys: [{ ...testKey('k1'), x: 'AAAA' }] }, 'keys[0].x: should be 32 bytes in base64url'],
    [{ keys: [{ ...testKey('k1'), not_before: 'yesterday' }] }, 'keys[0].not_before: should be an RFC 3339 instant'],
    [{ keys: [testKey('k1'), testKey('k1')] }, 'keys[1].kid: was "k1", which an earlier key has'],
    [
      { keys: [testKey('k1', { not_before: '2026-02-01T00:00:00Z', not_after: '2026-01-01T00:00:00Z' })] },
      'keys[0].not_after: was 2026-01-01T00:00:00Z, should not lie before not_before',
    ],
  ])('is refused by field: %#', (value, message) => {
    expect(refusal(value)).toContain(message);
  });

  it('shows no private key in what it refuses', () => {
    const key = testKey('k1');
    const { d = '' } = key;
    for (const wrong of [{ keys: [{ ...key, d: `${d}A` }] }, { keys: [{ ...key, kid: '' }] }, `{"keys":[{"d":"${d}"`]) {
      expect(refusal(wrong)).not.toContain(d);
    }
  });

  it('seals with the key that came into force last', () => {
    const keys = new KeySet([
      testKey('b', { not_before: '2026-02-01T00:00:00Z' }),
      testKey('a'),
      testKey('c', { not_before: '2026-03-01T00:00:00Z', not_after: '2026-04-01T00:00:00Z' }),
      testKey('lost', { not_before: '2026-03-15T00:00:00Z', revoked_from: '2026-03-20T00:00:00Z' }),
    ]);
    const at = (text: string): string | undefined => keys.signerAt(Date.parse(text))?.record.kid;
    expect(
      ['2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z', '2026-03-31T00:00:00Z', '2026-04-01T00:00:00Z'].map(at),
    ).toEqual(['a', 'b', 'c', 'b']);
  });

  it('cannot seal with its public part', () => {
    const shown = publicKeys([testKey('k1')]);
    expect(JSON.stringify(shown)).not.toContain('"d"');
    expect(parseKeySet(JSON.stringify(shown), 'keys.json').signerAt(0)).toBeNull();
  });
});
