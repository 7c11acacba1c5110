export { createDecision, type HandoffSettings } from './decide.ts';
export type { Issuer } from './issuers.ts';
export { createHandoffProofs } from './proofs.ts';
export { REFUSAL_CHECKS, type RefusalCode } from './refusals.ts';
