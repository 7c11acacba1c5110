import type { Advice, ContractRef, ContradictionClass, EvidenceLevel, ProviderName, VerdictName } from './contract.ts';
import type { Json, JsonObject } from './json.ts';
import type { Source } from './observation.ts';

/** One condition as it was judged. `result` unknown comes with `why`. */
export interface JudgedCondition {
  readonly name: string;
  readonly kind: 'verified' | 'contradicted' | 'state';
  readonly result: 'true' | 'false' | 'unknown';
  readonly path: string;
  /** JSON text of what was observed; null where nothing was */
  readonly observed: string | null;
  readonly expected: string | null;
  readonly why: string | null;
}

export interface Finding {
  readonly code: FindingCode;
  readonly refund_id: string | null;
  readonly detail: string;
  readonly observed_at: string;
}

export type FindingCode =
  | 'reversal_seen'
  | 'dispute_seen'
  | 'unclaimed_refund'
  | 'ambiguous_owner'
  | 'weak_candidate'
  | 'operation_conflict'
  | 'live_refund_beside_failure'
  | 'state_limit';

export interface EvidenceItem {
  readonly channel: string;
  readonly level: EvidenceLevel;
  readonly sha256: string;
  readonly observed_at: string;
  readonly source: Source;
}

/**
 * What seals a verdict: an operation's first terminal verdict and every revision after it (docs/reference/receipts.md).
 * Hashes are SHA-256 in base64url.
 */
export interface Receipt {
  /** the version of this form */
  readonly form: 1;
  /** the hash of what is sealed: this record without its receipt, and `previous` */
  readonly hash: string;
  /** the operation's receipt before this one; null: this is its first */
  readonly previous: ReceiptRef | null;
  /** its place among all receipts of its shard */
  readonly chain: ChainLink;
  /** JWS with detached payload, `header..signature`; '' while the verdict is decided and not yet published */
  readonly jws: string;
}

/** Names a receipt of an operation. */
export interface ReceiptRef {
  readonly revision: number;
  readonly hash: string;
}

/** Where a receipt stands in its shard's chain. */
export interface ChainLink {
  /** the log that the chain is kept in: the full name of the receipts topic, or of the embedded one */
  readonly log: string;
  readonly shard: number;
  /** 1 for the first, without gaps */
  readonly sequence: number;
  /** the chain hash of the receipt before it; null: this is the first */
  readonly previous: string | null;
}

/** The verdict record, exactly as it is published (RECORDS: verdicts). */
export interface VerdictRecord {
  readonly kind: 'verdict';
  readonly schema: 1;
  readonly verdict_id: string;
  readonly operation_id: string;
  readonly provider: ProviderName;
  readonly account: string;
  readonly payment_key: string;
  readonly revision: number;
  readonly input: JsonObject;
  readonly refund: {
    readonly id: string;
    readonly amount: Json;
    readonly currency: string | null;
    readonly status: string | null;
  } | null;
  readonly verdict: VerdictName;
  readonly class: ContradictionClass | null;
  readonly reason: string;
  readonly detail: string;
  readonly basis: 'evidence' | 'review';
  /** hash and version are empty strings where the contract is unknown */
  readonly contract: ContractRef;
  readonly completion_level: string | null;
  readonly money_moved: boolean | null;
  readonly conditions: readonly JudgedCondition[];
  readonly evidence: readonly EvidenceItem[];
  readonly correlation: { readonly strategy: string; readonly assurance: 'strong' | 'weak' } | null;
  readonly refunds_seen: { readonly ids: readonly string[]; readonly count: number };
  readonly duplicates: { readonly ids: readonly string[]; readonly count: number };
  readonly duplicates_dropped: number;
  readonly findings: readonly Finding[];
  readonly advice: Advice;
  readonly escalated_to: string | null;
  readonly decided_at: string;
  readonly supersedes: string | null;
  /** null where no keys to seal with are configured, and before the first terminal verdict */
  readonly receipt: Receipt | null;
}
