import { createDecision, createHandoffProofs, type Issuer } from '../../../../src/handoff/index.ts';
import { verifyingKeys } from '../../../../src/receipts/jws-verify.ts';
import { type FixedKey, fixedKey } from '../fixed-key.ts';

/** Who signs charge receipts, who signs authorities, and somebody whom nobody configured. */
export const LEDGER = fixedKey('ledger');
export const RISK = fixedKey('risk');
export const STRANGER = fixedKey('stranger');

/** How long a plan holds its sum. */
export const HOLD_MS = 900_000;

const issuerOf = ({ kid, x }: FixedKey, maySign: Issuer['maySign']): Issuer => ({
  id: kid,
  realm: 'live',
  maySign,
  keys: verifyingKeys([{ kty: 'OKP', crv: 'Ed25519', x, kid }]),
});

export const HANDOFF_PROOFS = createHandoffProofs([
  issuerOf(LEDGER, ['charges', 'refunds']),
  issuerOf(RISK, ['authorities']),
]);

export const DECIDE_HANDOFF = createDecision({ holdMs: HOLD_MS });
