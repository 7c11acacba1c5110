export { createDecision, type HandoffSettings } from './decide.ts';
export { type Issuer, Issuers, type Signable } from './issuers.ts';
export { createHandoffProofs } from './proofs.ts';
export { handoffIdOf } from './read-request.ts';
export { REFUSAL_CHECKS, type RefusalCode } from './refusals.ts';
