import type { ChainHead } from '../ports/receipt-sealer.ts';
import type { PlacedReceipt, ReceiptLinks } from './operation-chains.ts';
import type { ReceiptProblem, ReceiptProblemCode } from './problem.ts';

/** The end of a chain, for the next audit to start from. */
export interface NamedHead extends ChainHead {
  readonly log: string;
  readonly shard: number;
}

/** All that a chain's audit needs of a receipt. */
interface Link {
  readonly at: string;
  readonly verdictId: string;
  readonly sequence: number;
  readonly previous: string | null;
  readonly chainHash: string;
  readonly hash: string;
}

const linkOf = (at: string, { header: { chain }, chainHash, hash, verdict }: ReceiptLinks): Link => ({
  at,
  verdictId: verdict.verdict_id,
  sequence: chain.sequence,
  previous: chain.previous,
  chainHash,
  hash,
});

/** One shard's receipts in the order of the log. */
class ChainAudit {
  readonly problems: ReceiptProblem[] = [];
  readonly #log: string;
  readonly #links: Link[] = [];
  /** chain hash → where it was read first */
  readonly #seen = new Map<string, string>();
  readonly #sealed = new Map<string, Link>();
  #furthest = 0;

  constructor(log: string) {
    this.#log = log;
  }

  take(at: string, receipt: ReceiptLinks): void {
    const link = linkOf(at, receipt);
    const first = this.#seen.get(link.chainHash);
    if (first !== undefined) {
      this.#report('CHAIN_DOUBLED', link, `the same receipt stands at ${first}`);
      return;
    }
    this.#seen.set(link.chainHash, at);
    const sealed = this.#sealed.get(link.hash);
    if (sealed === undefined) this.#sealed.set(link.hash, link);
    else this.#report('CHAIN_DOUBLED', link, `it seals what sequence ${sealed.sequence} sealed already (${sealed.at})`);
    if (link.sequence < this.#furthest)
      this.#report('CHAIN_REORDERED', link, `sequence ${link.sequence} stands after sequence ${this.#furthest}`);
    this.#furthest = Math.max(this.#furthest, link.sequence);
    this.#links.push(link);
  }

  /** @param known where earlier audits found the chain's end */
  finish(known: readonly ChainHead[], isPartial: boolean): ChainHead {
    const places = this.#places();
    const chain = places.map((rivals, index) => this.#choose(rivals, places[index + 1] ?? []));
    this.#checkStart(chain[0], isPartial);
    for (const [index, link] of chain.entries()) {
      const before = chain[index - 1];
      if (before !== undefined) this.#checkLink(before, link, chain[index - 2]);
    }
    this.#checkHeads(known, chain, isPartial);
    const last = chain.at(-1);
    return { sequence: last?.sequence ?? 0, hash: last?.chainHash ?? null };
  }

  /** By sequence, all that claim it. */
  #places(): Link[][] {
    const places = new Map<number, Link[]>();
    for (const link of this.#links) {
      const rivals = places.get(link.sequence);
      if (rivals === undefined) places.set(link.sequence, [link]);
      else rivals.push(link);
    }
    return [...places.entries()].sort(([a], [b]) => a - b).map(([, rivals]) => rivals);
  }

  /** Of several that claim a place, the one that the next receipt names was there, and the others were put in. */
  #choose(rivals: readonly Link[], next: readonly Link[]): Link {
    const [first, ...others] = rivals;
    if (first === undefined) throw new TypeError('a place without a receipt');
    if (others.length === 0) return first;
    const named = rivals.filter(({ chainHash }) => next.some(({ previous }) => previous === chainHash));
    const chosen = named[0] ?? first;
    for (const link of rivals) {
      if (link === chosen) continue;
      const isFork = named.length !== 1;
      const detail = `sequence ${link.sequence} is also at ${chosen.at}${isFork ? '' : ', which the next receipt names'}`;
      this.#report(isFork ? 'CHAIN_FORKED' : 'CHAIN_INSERTED', link, detail);
    }
    return chosen;
  }

  #checkStart(first: Link | undefined, isPartial: boolean): void {
    if (first !== undefined && first.sequence > 1 && !isPartial) this.#reportRemoved(first, 1);
  }

  #checkLink(before: Link, link: Link, beforeThat: Link | undefined): void {
    if (link.sequence > before.sequence + 1) {
      this.#reportRemoved(link, before.sequence + 1);
      return;
    }
    if (link.previous === before.chainHash) return;
    // Whether the one before fits what stands before itself: then both continue the chain, else it is a stranger.
    const isLinked = beforeThat === undefined || before.previous === beforeThat.chainHash;
    const detail = `sequence ${link.sequence} names another receipt as the one before it`;
    this.#report(isLinked ? 'CHAIN_FORKED' : 'CHAIN_INSERTED', isLinked ? link : before, detail);
  }

  /** Every head is held against the chain; of those before its beginning the nearest is what it must go on from. */
  #checkHeads(known: readonly ChainHead[], chain: readonly Link[], isPartial: boolean): void {
    const [first] = chain;
    const isBefore = (head: ChainHead): boolean => first !== undefined && head.sequence < first.sequence;
    for (const head of known) if (!isBefore(head)) this.#checkKnown(head, chain);
    const [nearest] = known.filter(isBefore).sort((a, b) => b.sequence - a.sequence);
    // Where the log must be there from its beginning, what is missing before it has been told.
    if (first !== undefined && nearest !== undefined && isPartial) this.#checkJoin(first, nearest);
  }

  #checkKnown({ sequence, hash }: ChainHead, chain: readonly Link[]): void {
    if (sequence === 0) return;
    const last = chain.at(-1);
    const found = chain.find((link) => link.sequence === sequence);
    if (found !== undefined) {
      if (found.chainHash !== hash)
        this.#report('CHAIN_FORKED', found, `sequence ${sequence} was another receipt at an earlier audit`);
    } else if (last === undefined || last.sequence < sequence) {
      const at = last?.at ?? '-';
      const detail = `${this.#log} ends at sequence ${last?.sequence ?? 0}, and an earlier audit saw ${sequence}`;
      this.problems.push({ code: 'CHAIN_REMOVED', at, verdictId: null, detail });
    }
  }

  /** A file that goes on where an earlier audit ended: what it begins with must name that end. */
  #checkJoin(first: Link, { sequence, hash }: ChainHead): void {
    if (first.sequence > sequence + 1) this.#reportRemoved(first, sequence + 1);
    else if (first.previous !== hash) {
      const detail = `sequence ${first.sequence} does not go on from sequence ${sequence} as an earlier audit saw it`;
      this.#report('CHAIN_FORKED', first, detail);
    }
  }

  #reportRemoved(next: Link, from: number): void {
    const to = next.sequence - 1;
    const which = from === to ? `sequence ${from} is` : `sequences ${from} to ${to} are`;
    this.#report('CHAIN_REMOVED', next, `${which} missing before it`);
  }

  #report(code: ReceiptProblemCode, { at, verdictId }: Link, detail: string): void {
    this.problems.push({ code, at, verdictId, detail: `${this.#log}: ${detail}` });
  }
}

const nameOf = (log: string, shard: number): string => `${log}/${shard}`;

/**
 * Audits the chains of a receipts log: what was removed, put in, moved, doubled or forked. Each chain's receipts must come in the
 * order of the log. What was removed from the end is seen only against a head that an earlier audit told.
 *
 * @param placed authentic receipts: one that nobody's key has signed is no part of a chain
 * @param known heads of earlier audits
 * @param isPartial the log may begin in the middle
 */
export const auditChains = (
  placed: readonly PlacedReceipt[],
  known: readonly NamedHead[],
  isPartial: boolean,
): { readonly problems: readonly ReceiptProblem[]; readonly heads: readonly NamedHead[] } => {
  const chains = new Map<string, { audit: ChainAudit; log: string; shard: number }>();
  const chainOf = (log: string, shard: number): ChainAudit => {
    const name = nameOf(log, shard);
    const held = chains.get(name) ?? { audit: new ChainAudit(name), log, shard };
    chains.set(name, held);
    return held.audit;
  };
  for (const { at, receipt } of placed) {
    const { log, shard } = receipt.header.chain;
    chainOf(log, shard).take(at, receipt);
  }
  for (const { log, shard } of known) chainOf(log, shard);
  const heads: NamedHead[] = [];
  const problems: ReceiptProblem[] = [];
  for (const { audit, log, shard } of chains.values()) {
    const earlier = known.filter((head) => nameOf(head.log, head.shard) === nameOf(log, shard));
    const head = audit.finish(earlier, isPartial);
    heads.push({ log, shard, ...head });
    problems.push(...audit.problems);
  }
  return { problems, heads };
};
