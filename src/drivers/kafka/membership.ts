/**
 * Notices a client that fetches on and is no member of its group any more. When the group has forgotten KafkaJS's member and the
 * join that follows fails with its connection, the client tries to fetch again instead of to join. Without a member id it sends no
 * heartbeats, so that nobody ever tells it: it keeps the partitions of a member that is gone.
 */
export class Membership {
  readonly #heartbeatIntervalMs: number;
  readonly #sessionTimeoutMs: number;
  #fetchedAt: number | null = null;
  #silentMs = 0;

  constructor(options: { readonly heartbeatIntervalMs: number; readonly sessionTimeoutMs: number }) {
    this.#heartbeatIntervalMs = options.heartbeatIntervalMs;
    this.#sessionTimeoutMs = options.sessionTimeoutMs;
  }

  /** A heartbeat or a join was answered. */
  confirmed(): void {
    this.#fetchedAt = null;
    this.#silentMs = 0;
  }

  /**
   * A fetch was answered. True once fetches have gone on without a heartbeat for a session: the group no longer knows the member.
   * A pause between two fetches counts as one interval: what comes after it may be a heartbeat.
   */
  isLostAt(fetchedAt: number): boolean {
    const passedMs = fetchedAt - (this.#fetchedAt ?? fetchedAt);
    this.#fetchedAt = fetchedAt;
    this.#silentMs += Math.max(0, Math.min(passedMs, this.#heartbeatIntervalMs));
    return this.#silentMs > this.#sessionTimeoutMs;
  }
}
