import type { HandoffConfig, IssuerConfig } from '../config/handoff.ts';
import { OperatingError } from '../errors.ts';
import type { DecideHandoff } from '../evaluator/index.ts';
import { createDecision, createHandoffProofs, type Issuer } from '../handoff/index.ts';
import type { HandoffProofs } from '../ports/handoff-proofs.ts';
import { KeyUnusable, type PublicJwk, verifyingKeys } from '../receipts/jws-verify.ts';

/** What reads receipts and authorities, and what decides. */
export interface Handoffs {
  readonly proofs: HandoffProofs;
  readonly decide: DecideHandoff;
}

const keysIn = (jwks: IssuerConfig['jwks'], key: string): readonly PublicJwk[] => {
  if (typeof jwks !== 'string') return jwks.keys as readonly PublicJwk[];
  let parsed: unknown;
  try {
    parsed = JSON.parse(jwks);
  } catch {
    throw new OperatingError('CONFIG_INVALID', `${key}: got text that is no JSON, wants a JWKS`);
  }
  const keys = typeof parsed === 'object' && parsed !== null && 'keys' in parsed ? parsed.keys : null;
  if (!Array.isArray(keys)) throw new OperatingError('CONFIG_INVALID', `${key}: got no list of keys, wants a JWKS`);
  return keys as readonly PublicJwk[];
};

const issuerOf = ({ id, realm, may_sign: maySign, jwks }: IssuerConfig, index: number): Issuer => {
  const key = `handoff.issuers[${index}].jwks`;
  try {
    return { id, realm, maySign, keys: verifyingKeys(keysIn(jwks, key)) };
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error;
    throw new OperatingError('CONFIG_INVALID', `${key}: a key ${error.message}`);
  }
};

/** Prepares the issuers' keys. Throws CONFIG_INVALID, which names the key and never its content. */
export const createHandoffs = (config: HandoffConfig): Handoffs => {
  const seen = new Set<string>();
  const issuers = config.issuers.map((issuer, index) => {
    if (seen.has(issuer.id))
      throw new OperatingError(
        'CONFIG_INVALID',
        `handoff.issuers[${index}].id: got ${issuer.id} again, wants each once`,
      );
    seen.add(issuer.id);
    return issuerOf(issuer, index);
  });
  return { proofs: createHandoffProofs(issuers), decide: createDecision({ holdMs: config.hold_ms }) };
};
