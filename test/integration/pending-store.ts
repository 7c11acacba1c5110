import type { PendingVerdict, ShardClaim, ShardStore } from '../../src/ports/shard-store.ts';

type PendingStore = Pick<ShardStore, 'owns' | 'pendingVerdicts' | 'trimVerdicts'>;

/** One shard's pending verdicts with the store's fences, and a way to write some: the least a publisher works on. */
export class TestPendingStore implements PendingStore {
  #token = '';
  #claims = 0;
  #nextVerdict = 1;
  #applied = 0;
  #pending: PendingVerdict[] = [];

  claim(): ShardClaim {
    this.#claims += 1;
    this.#token = `${this.#claims}:owner`;
    return this.#asClaim();
  }

  #asClaim(): ShardClaim {
    return {
      shard: 0,
      token: this.#token,
      sequence: 0,
      applied: { input: String(this.#applied) },
      nextVerdict: this.#nextVerdict,
    };
  }

  /** Commits verdicts for the claim; null where it is fenced. */
  commit(claim: ShardClaim, values: readonly string[]): { claim: ShardClaim; verdicts: PendingVerdict[] } | null {
    if (claim.token !== this.#token) return null;
    const verdicts = values.map((value, index) => ({
      sequence: claim.nextVerdict + index,
      key: `square:m:p/op-${value}`,
      value: JSON.stringify({
        kind: 'verdict',
        schema: 1,
        verdict_id: `square:m:p/op-${value}:1`,
        provider: 'square',
        account: 'm',
        payment_key: 'square:m:p',
        operation_id: `op-${value}`,
        revision: 1,
        verdict: 'PENDING',
        class: null,
        reason: 'awaiting_evidence',
        detail: 'none yet',
        money_moved: null,
        duplicates: { ids: [], count: 0 },
        findings: [],
        refund: null,
        advice: 'wait',
        decided_at: '2026-09-01T12:00:00.000Z',
      }),
      traceparent: null,
    }));
    this.#pending.push(...verdicts);
    this.#nextVerdict = claim.nextVerdict + values.length;
    this.#applied += values.length;
    return { claim: this.#asClaim(), verdicts };
  }

  snapshot(): () => void {
    const kept = { token: this.#token, next: this.#nextVerdict, applied: this.#applied, pending: [...this.#pending] };
    return () => {
      this.#token = kept.token;
      this.#nextVerdict = kept.next;
      this.#applied = kept.applied;
      this.#pending = [...kept.pending];
    };
  }

  owns = async (_shard: number, token: string): Promise<boolean> => token === this.#token;

  pendingVerdicts = async (_shard: number, limit: number): Promise<readonly PendingVerdict[]> =>
    this.#pending.slice(0, limit);

  trimVerdicts = async (_shard: number, token: string, sequence: number): Promise<void> => {
    if (token === this.#token) this.#pending = this.#pending.filter((verdict) => verdict.sequence > sequence);
  };
}
