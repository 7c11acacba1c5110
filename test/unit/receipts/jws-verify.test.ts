import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyUnusable, type PublicJwk, verifyCompactJws, verifyingKeys } from '../../../src/receipts/jws-verify.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const PAIRS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const;
type Alg = keyof typeof PAIRS;

const jwkOf = (alg: Alg): PublicJwk => ({ ...PAIRS[alg].publicKey.export({ format: 'jwk' }), kid: alg });
const KEYS = verifyingKeys([jwkOf('EdDSA'), jwkOf('ES256'), jwkOf('RS256')]);

const signed = (alg: Alg, header: object = { alg, kid: alg }, key: KeyObject = PAIRS[alg].privateKey): string => {
  const text = `${encode(header)}.${encode({ amount: '10.00' })}`;
  const how = alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return `${text}.${sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(text), how).toString('base64url')}`;
};

const whyOf = (jws: string): string => {
  const reading = verifyCompactJws(jws, KEYS);
  return reading.ok ? 'taken' : reading.why;
};

describe('verifyCompactJws', () => {
  it.each(['EdDSA', 'ES256', 'RS256'] as const)('takes what a key of the set signed: %s', (alg) => {
    expect(verifyCompactJws(signed(alg), KEYS)).toEqual({ ok: true, kid: alg, payload: '{"amount":"10.00"}' });
  });

  it('takes the example of RFC 8037', () => {
    const keys = verifyingKeys([
      { kty: 'OKP', crv: 'Ed25519', kid: 'a', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    ]);
    const jws =
      'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg';
    // That example names no key: without a kid nothing is taken, whoever signed it.
    expect(verifyCompactJws(jws, keys)).toMatchObject({ ok: false, why: 'its kid null names no key of the issuer' });
  });

  it('refuses every change of a single character', () => {
    const jws = signed('EdDSA');
    for (let at = 0; at < jws.length; at += 1) {
      const other = jws[at] === 'A' ? 'B' : 'A';
      expect(verifyCompactJws(jws.slice(0, at) + other + jws.slice(at + 1), KEYS).ok, `at ${at}`).toBe(false);
    }
  });

  it('refuses no algorithm, a symmetric one, and another than the key is for', () => {
    expect(whyOf(`${encode({ alg: 'none', kid: 'EdDSA' })}.${encode({})}.`)).toMatch(/^its alg is "none"/);
    expect(whyOf(signed('EdDSA', { alg: 'HS256', kid: 'RS256' }))).toMatch(/^its alg is "HS256"/);
    expect(whyOf(signed('EdDSA', { alg: 'EdDSA', kid: 'RS256' }))).toBe('the key RS256 is not one for EdDSA');
    expect(whyOf(signed('EdDSA', { kid: 'EdDSA' }))).toMatch(/^its alg is null/);
  });

  it('refuses another key, an unknown one, and extensions it does not know', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(whyOf(signed('EdDSA', { alg: 'EdDSA', kid: 'EdDSA' }, privateKey))).toBe('its signature does not match');
    expect(whyOf(signed('EdDSA', { alg: 'EdDSA', kid: 'other' }))).toBe('its kid "other" names no key of the issuer');
    expect(whyOf(signed('EdDSA', { alg: 'EdDSA', kid: 'EdDSA', b64: false, crit: ['b64'] }))).toMatch(/extension/);
  });

  it('refuses what is no JWS, and a second spelling of one', () => {
    for (const text of ['', 'a', 'a.b', '....', 'rcpt-1', `${signed('EdDSA')}.x`])
      expect(whyOf(text)).toMatch(/^it is no JWS/);
    expect(whyOf(`${Buffer.from('[1]').toString('base64url')}.e30.AA`)).toBe('its header is no JSON object');
    expect(whyOf('AA.e30.AA')).toBe('its header is no JSON object');
    expect(whyOf(`e30.${'A'.repeat(70_000)}.AA`)).toMatch(/^it has 7\d+ characters/);
    const [header, payload, signature = ''] = signed('EdDSA').split('.');
    // 64 bytes leave four bits over in the last character: the same bytes, written otherwise.
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const second =
      last[(last.indexOf(signature.at(-1) ?? '') & ~15) + ((last.indexOf(signature.at(-1) ?? '') + 1) & 15)];
    expect(whyOf(`${header}.${payload}.${signature.slice(0, -1)}${second}`)).toMatch(/base64url/);
  });
});

describe('verifyingKeys', () => {
  it('refuses a private key, one without a name, two of one name, and one that is no key', () => {
    const all =
      (...jwks: PublicJwk[]) =>
      () =>
        verifyingKeys(jwks);
    expect(all({ ...PAIRS.EdDSA.privateKey.export({ format: 'jwk' }), kid: 'a' })).toThrow('holds a private key');
    expect(all({ kty: 'oct', k: 'c2VjcmV0', kid: 'a' })).toThrow('holds a private key');
    expect(all({ ...jwkOf('EdDSA'), kid: undefined })).toThrow('has no kid');
    expect(all(jwkOf('EdDSA'), jwkOf('EdDSA'))).toThrow('has the kid EdDSA twice');
    expect(all({ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'a' })).toThrow(KeyUnusable);
  });
});
