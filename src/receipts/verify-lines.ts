import { LRUCache } from 'lru-cache';
import type { Json, VerdictRecord } from '../evaluator/index.ts';
import { checkReceipt } from './check-receipt.ts';
import { differences } from './differences.ts';
import { attach } from './jws.ts';
import type { KeySet } from './key-set.ts';
import { type OpenReceipt, openReceipt } from './open-receipt.ts';
import { checkOperationChains, linksOf, type PlacedReceipt } from './operation-chains.ts';
import type { ReceiptProblem, ReceiptProblemCode } from './problem.ts';
import { readClaim } from './read-claim.ts';
import { FORM, sha256Url, statementText } from './statement.ts';

export interface ReceiptLine {
  /** `file:line` */
  readonly at: string;
  readonly text: string;
}

export interface VerifyOptions {
  /** earlier revisions than the first of an operation may be missing */
  readonly isPartial: boolean;
  /** terminal verdicts may have no receipt: from before there were keys */
  readonly allowsUnsealed: boolean;
}

export interface Verification {
  /** receipts that were signed as they are, in the order read, also by a key that did not count then; one that was there as record and as export is there twice */
  readonly receipts: readonly PlacedReceipt[];
  /** in the order read, chains last */
  readonly problems: readonly ReceiptProblem[];
  /** lines of verdicts or receipts */
  readonly read: number;
  /** verdict records that hold no receipt */
  readonly unsealed: number;
}

/** What a line came to. `record`: the verdict record that the receipt was detached from. */
interface Candidate {
  readonly at: string;
  readonly receipt: OpenReceipt;
  readonly record: VerdictRecord | null;
}

/** A verdict as it was sealed, and where. */
interface SealedVerdict {
  readonly at: string;
  readonly verdict: VerdictRecord;
}

/** A verdict record that came without a receipt. */
interface UnsealedVerdict {
  readonly at: string;
  readonly id: string;
  readonly operation: string;
  readonly revision: number;
}

/** Of an operation's sealed revisions: the first, and where each was read. */
interface SealedRevisions {
  first: number;
  readonly at: Map<number, string>;
}

const operationOf = ({ payment_key: key, operation_id: id }: Pick<VerdictRecord, 'payment_key' | 'operation_id'>) =>
  JSON.stringify([key, id]);

/** Faults of the key alone: the receipt is the one that was signed, and has its place in the chains. */
const isOfKey = ({ code }: { readonly code: ReceiptProblemCode }): boolean =>
  code === 'RECEIPT_KEY_REVOKED' || code === 'RECEIPT_KEY_NOT_VALID';

/** So many are kept whole, twice each, for naming what was altered in a record. The chains need their links alone. */
const SEALED_KEPT = 40_000;

/** Signatures are checked so many at a time. */
const PAGE = 256;

const withoutReceipt = ({ receipt: _, ...rest }: VerdictRecord): Json => rest as unknown as Json;

class Verifier {
  readonly #keys: KeySet;
  readonly #options: VerifyOptions;
  readonly #problems: ReceiptProblem[] = [];
  readonly #authentic: PlacedReceipt[] = [];
  /** by hash and by verdict id */
  readonly #sealed = new LRUCache<string, SealedVerdict>({ max: SEALED_KEPT });
  readonly #altered: { readonly at: string; readonly record: VerdictRecord }[] = [];
  #candidates: Candidate[] = [];
  #read = 0;
  readonly #unsealed: UnsealedVerdict[] = [];

  constructor(keys: KeySet, options: VerifyOptions) {
    this.#keys = keys;
    this.#options = options;
  }

  async take({ at, text }: ReceiptLine): Promise<void> {
    const claim = readClaim(text);
    if (claim.form === 'other') return;
    this.#read += 1;
    if (claim.form === 'neither') this.#report('RECEIPT_MALFORMED', at, claim.verdictId, claim.reason);
    else if (claim.form === 'record') this.#takeRecord(at, claim.record);
    else if (claim.form === 'renamed') this.#takeRenamed(at, claim.record);
    else this.#open(at, claim.jws, null);
    if (this.#candidates.length >= PAGE) await this.#check();
  }

  async finish(): Promise<Verification> {
    await this.#check();
    this.#nameAltered();
    this.#holdUnsealed();
    const chains = checkOperationChains(this.#authentic, this.#options.isPartial);
    return {
      receipts: this.#authentic,
      problems: [...this.#problems, ...chains],
      read: this.#read,
      unsealed: this.#unsealed.length,
    };
  }

  #takeRecord(at: string, record: VerdictRecord): void {
    const { receipt, verdict, verdict_id: id, revision } = record;
    if (receipt === null) {
      this.#unsealed.push({ at, id, operation: operationOf(record), revision });
      if (verdict !== 'PENDING' && !this.#options.allowsUnsealed)
        this.#report('RECEIPT_MISSING', at, id, `a ${verdict} verdict without a receipt`);
      return;
    }
    const jws = attach(receipt.jws, statementText(record, receipt.previous));
    if (jws === null) this.#report('RECEIPT_MALFORMED', at, id, 'receipt.jws should be header..signature');
    else this.#open(at, jws, record);
  }

  /** A sealed record is of the kind that it was sealed with; one without a receipt is held to what every such record is. */
  #takeRenamed(at: string, record: VerdictRecord): void {
    if (record.receipt === null) this.#takeRecord(at, record);
    else this.#altered.push({ at, record });
  }

  #open(at: string, jws: string, record: VerdictRecord | null): void {
    const opened = openReceipt(jws);
    if (opened.ok) this.#candidates.push({ at, receipt: opened.receipt, record });
    else this.#report('RECEIPT_MALFORMED', at, record?.verdict_id ?? null, opened.reason);
  }

  async #check(): Promise<void> {
    const candidates = this.#candidates;
    this.#candidates = [];
    const checked = await Promise.all(candidates.map(({ receipt }) => checkReceipt(receipt, this.#keys)));
    for (const [index, candidate] of candidates.entries()) {
      const { at, receipt, record } = candidate;
      const faults = checked[index] ?? [];
      const isForged = faults.some(({ code }) => code === 'RECEIPT_SIGNATURE_INVALID');
      if (isForged && record !== null) {
        this.#altered.push({ at, record });
        continue;
      }
      for (const { code, detail } of faults) this.#report(code, at, receipt.verdict.verdict_id, detail);
      const agrees = record === null || this.#agrees(at, receipt, record);
      if (!faults.every(isOfKey) || !agrees) continue;
      this.#authentic.push({ at, receipt: linksOf(receipt) });
      const sealed = { at, verdict: receipt.verdict };
      this.#sealed.set(receipt.hash, sealed);
      this.#sealed.set(receipt.verdict.verdict_id, sealed);
    }
  }

  /** The links beside a detached receipt repeat what is signed. */
  #agrees(at: string, { hash, header, previous }: OpenReceipt, { receipt, verdict_id: id }: VerdictRecord): boolean {
    if (receipt === null) return true;
    const { jws: _, ...said } = receipt;
    const wrong = differences(
      said as unknown as Json,
      { form: FORM, hash, previous, chain: header.chain } as unknown as Json,
    );
    for (const field of wrong)
      this.#report('RECEIPT_ALTERED', at, id, `receipt.${field} is not what the signed receipt says`);
    return wrong.length === 0;
  }

  /** Verdict records that their signature does not cover: what was changed can be told where the sealed receipt is here too. */
  #nameAltered(): void {
    for (const { at, record } of this.#altered) {
      const { receipt, verdict_id: id } = record;
      const sealed = this.#sealed.get(receipt?.hash ?? '') ?? this.#sealed.get(id);
      const isAsHashed = receipt !== null && sha256Url(statementText(record, receipt.previous)) === receipt.hash;
      if (sealed === undefined && isAsHashed) {
        this.#report('RECEIPT_SIGNATURE_INVALID', at, id, 'the signature is not one over this verdict');
      } else if (sealed === undefined) {
        const detail =
          'it does not have the hash that its receipt states; the exported receipt would tell which field was changed';
        this.#report('RECEIPT_ALTERED', at, id, detail);
      } else this.#reportDifferences(at, record, sealed);
    }
  }

  /** From an operation's first sealed revision on, each is sealed: a record without its receipt has lost it, or was put in. */
  #holdUnsealed(): void {
    const operations = new Map<string, SealedRevisions>();
    for (const { at, receipt } of this.#authentic) {
      const { revision } = receipt.verdict;
      const held = operations.get(operationOf(receipt.verdict)) ?? { first: revision, at: new Map() };
      held.first = Math.min(held.first, revision);
      held.at.set(revision, at);
      operations.set(operationOf(receipt.verdict), held);
    }
    for (const { at, id, operation, revision } of this.#unsealed) {
      const sealed = operations.get(operation);
      const other = sealed?.at.get(revision);
      if (other !== undefined)
        this.#report('RECEIPT_ALTERED', at, id, `receipt: it has none, and this revision was sealed (${other})`);
      else if (sealed !== undefined && revision > sealed.first)
        this.#report('RECEIPT_MISSING', at, id, `it has no receipt, and revision ${sealed.first} before it was sealed`);
    }
  }

  #reportDifferences(at: string, record: VerdictRecord, sealed: SealedVerdict): void {
    const fields = differences(withoutReceipt(record), withoutReceipt(sealed.verdict));
    const id = record.verdict_id;
    if (fields.length === 0)
      this.#report(
        'RECEIPT_SIGNATURE_INVALID',
        at,
        id,
        `the verdict is as it was sealed (${sealed.at}), its receipt is not`,
      );
    else this.#report('RECEIPT_ALTERED', at, id, `${fields.join(', ')}: not what was sealed (${sealed.at})`);
  }

  #report(code: ReceiptProblemCode, at: string, verdictId: string | null, detail: string): void {
    this.#problems.push({ code, at, verdictId, detail });
  }
}

/** Verifies every verdict and receipt of the lines: form, signature, key, and the chain of each operation. */
export const verifyLines = async (
  lines: Iterable<ReceiptLine> | AsyncIterable<ReceiptLine>,
  keys: KeySet,
  options: VerifyOptions,
): Promise<Verification> => {
  const verifier = new Verifier(keys, options);
  for await (const line of lines) await verifier.take(line);
  return verifier.finish();
};
