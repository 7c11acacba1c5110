import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { OperatingError } from '../errors.ts';
import { instantMs, type Receipt, type VerdictRecord } from '../evaluator/index.ts';
import type {
  ChainHead,
  HeldReceipt,
  OutgoingReceipt,
  ReceiptSealer,
  SealedVerdicts,
} from '../ports/receipt-sealer.ts';
import type { PendingVerdict } from '../ports/shard-store.ts';
import { parseJsonText } from '../records/json-text.ts';
import { checkReceipt } from './check-receipt.ts';
import { chainHash, detach, printHeader, signingInput } from './jws.ts';
import type { KeySet, SealingKey } from './key-set.ts';
import { linkReceipts } from './link.ts';
import { openReceipt } from './open-receipt.ts';
import { unsealedReceipt, withReceipt } from './sealed-text.ts';
import { FORM, statementText } from './statement.ts';

/** In the thread pool, many at a time: a signature costs more than everything else about a receipt. */
const signed = promisify<string, Buffer, KeyObject, Buffer>((_, data, key, done) => sign(null, data, key, done));

/** Statements of verdicts that are decided and soon published; another owner's, or older ones, are written anew. */
const REMEMBERED = 5_000;

/** What is sealed of a verdict. */
interface Statement {
  readonly text: string;
  readonly decidedAt: string;
}

const NONE_HELD: ReadonlyMap<string, HeldReceipt> = new Map();

/** Ready to be signed. */
interface Unsigned {
  readonly verdict: PendingVerdict;
  readonly receipt: Receipt;
  readonly header: string;
  readonly input: string;
  readonly key: SealingKey;
}

const statementOf = (verdict: PendingVerdict, receipt: Receipt): Statement => {
  const record = parseJsonText(verdict.value) as unknown as VerdictRecord;
  return { text: statementText(record, receipt.previous), decidedAt: record.decided_at };
};

/** The verdict with its receipt, in its text and, where that is at hand, in the record that the text was printed from. */
const withSeal = (verdict: PendingVerdict, receipt: Receipt | null): PendingVerdict => {
  const { printed, ...rest } = verdict;
  const value = withReceipt(verdict.value, receipt);
  if (printed?.text !== verdict.value) return { ...rest, value };
  return { ...rest, value, printed: { text: value, record: { ...printed.record, receipt } } };
};

const signerOf = (keys: KeySet, { decidedAt }: Statement, { key }: PendingVerdict): SealingKey => {
  const signer = keys.signerAt(instantMs(decidedAt) ?? Number.NaN);
  if (signer !== null) return signer;
  throw new OperatingError('RECEIPT_KEY_MISSING', `no key is in force at ${decidedAt}, when ${key} was decided`, {
    context: { verdict: key, decidedAt },
  });
};

/**
 * Seals with the keys that `keys` gives.
 * @param log the full name of the receipts log, for the chain
 */
export const createReceiptSealer = (log: string, keys: () => Promise<KeySet>): ReceiptSealer => {
  const remembered = new LRUCache<string, Statement>({ max: REMEMBERED });
  const privateKeys = new WeakMap<SealingKey, KeyObject>();

  const privateKeyOf = (key: SealingKey): KeyObject => {
    const known = privateKeys.get(key);
    if (known !== undefined) return known;
    const { kty, crv, x, d } = key.record;
    const made = createPrivateKey({ format: 'jwk', key: { kty, crv, x, ...(d === undefined ? {} : { d }) } });
    privateKeys.set(key, made);
    return made;
  };

  const sealOne = async ({ verdict, receipt, header, input, key }: Unsigned): Promise<OutgoingReceipt> => {
    const signature = (await signed('', Buffer.from(input), privateKeyOf(key))).toString('base64url');
    const sealed = withSeal(verdict, { ...receipt, jws: `${header}..${signature}` });
    return { verdict: sealed, jws: `${input}.${signature}` };
  };

  return {
    link: (reduce, held) =>
      linkReceipts(reduce, {
        held,
        onLinked: (hash, text, { decided_at: decidedAt }) => remembered.set(hash, { text, decidedAt }),
      }),

    open: async (shard, jws) => {
      const opened = openReceipt(jws);
      if (!opened.ok) return null;
      const { hash, header, chainHash: last, previous, verdict } = opened.receipt;
      const { chain } = header;
      if (chain.log !== log || chain.shard !== shard) return null;
      const faults = await checkReceipt(opened.receipt, await keys());
      // The key may have been revoked since: the receipt stands in the chain all the same.
      const isOurs = !faults.some(({ code }) => code === 'RECEIPT_SIGNATURE_INVALID' || code === 'RECEIPT_KEY_UNKNOWN');
      if (!isOurs) return null;
      const receipt = { form: FORM, hash, previous, chain, jws: detach(jws) };
      return { verdictId: verdict.verdict_id, receipt, head: { sequence: chain.sequence, hash: last } };
    },

    seal: async (shard, head, verdicts, held = NONE_HELD): Promise<SealedVerdicts> => {
      const waiting = verdicts.map((verdict) => unsealedReceipt(verdict.value));
      if (waiting.every((receipt) => receipt === null)) return { verdicts, receipts: [], head };
      const known = await keys();
      let { sequence, hash }: ChainHead = head;
      const unsigned = verdicts.map((verdict, index): Unsigned | PendingVerdict => {
        const linked = waiting[index] ?? null;
        if (linked === null) return verdict;
        const before = held.get(linked.hash);
        if (before !== undefined) return withSeal(verdict, before.receipt);
        const statement = remembered.get(linked.hash) ?? statementOf(verdict, linked);
        const key = signerOf(known, statement, verdict);
        sequence += 1;
        const receipt = { ...linked, chain: { log, shard, sequence, previous: hash } };
        const header = printHeader(key.record.kid, receipt.chain);
        const input = signingInput(header, statement.text);
        hash = chainHash(input);
        return { verdict, receipt, header, input, key };
      });
      const sealed = await Promise.all(unsigned.map((one) => ('input' in one ? sealOne(one) : one)));
      return {
        verdicts: sealed.map((one) => ('jws' in one ? one.verdict : one)),
        receipts: sealed.filter((one) => 'jws' in one),
        head: { sequence, hash },
      };
    },
  };
};

/** Seals nothing: no keys are configured. What an owner with keys had linked is published without a receipt. */
export const NO_RECEIPTS: ReceiptSealer = {
  link: (reduce) => reduce,
  open: async () => null,
  seal: async (_, head, verdicts) => ({
    verdicts: verdicts.map((verdict) => (unsealedReceipt(verdict.value) === null ? verdict : withSeal(verdict, null))),
    receipts: [],
    head,
  }),
};
