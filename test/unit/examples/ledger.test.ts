import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { actOnVerdict, type Held, type Posting, type Refunded } from '../../../examples/ledger/act-on-verdict.ts';
import { LedgerFile } from '../../../examples/ledger/ledger-file.ts';
import { readVerdict } from '../../../examples/ledger/read-verdicts.ts';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import { verdictExample } from '../records/verdict-example.ts';

const example = verdictExample();
const KEY = `${example.payment_key}/${example.operation_id}`;

const revision = (number: number, fields: Partial<VerdictRecord>): VerdictRecord => ({
  ...example,
  revision: number,
  verdict_id: `${KEY}:${number}`,
  escalated_to: null,
  class: null,
  money_moved: null,
  ...fields,
});

const REFUND = { id: 'R1', amount: '10.00', currency: 'USD', status: 'COMPLETED' };
const POSTED: Refunded = { refund: 'R1', amount: '10.00', currency: 'USD' };

const pending = { verdict: 'PENDING', refund: null } as const;
const verified = { verdict: 'VERIFIED', money_moved: true, refund: REFUND } as const;
const doubled = {
  verdict: 'CONTRADICTED',
  class: 'duplicate_side_effect',
  money_moved: true,
  refund: REFUND,
  duplicates: { ids: ['R2'], count: 1 },
} as const;
const failed = { verdict: 'FAILED', money_moved: false, refund: { ...REFUND, status: 'FAILED' } } as const;

const play = (...verdicts: readonly VerdictRecord[]): { readonly held: Held | null; readonly postings: Posting[] } => {
  let held: Held | null = null;
  const postings: Posting[] = [];
  for (const verdict of verdicts) {
    const news = actOnVerdict(KEY, held, verdict);
    if (news === null) continue;
    held = news.held;
    postings.push(...news.postings);
  }
  return { held, postings };
};

const kinds = ({ postings }: { readonly postings: readonly Posting[] }): string[] =>
  postings.map(({ kind, refund }) => `${kind} ${refund}`);

test('a verified refund whose money moved is posted once, however often it is told', () => {
  const told = [revision(1, pending), revision(2, verified), revision(2, verified), revision(3, verified)];
  expect(kinds(play(...told))).toEqual(['post R1']);
  expect(play(...told).held).toEqual({ revision: 3, posted: POSTED, exception: null });
});

test('verified without money is not posted', () => {
  expect(kinds(play(revision(1, { ...verified, money_moved: null })))).toEqual([]);
});

test('a withdrawn, a failed and an unverifiable refund are undone, and a late success is posted again', () => {
  for (const after of [{ ...pending, reason: 'withdrawn' }, failed, { ...pending, verdict: 'UNVERIFIABLE' } as const]) {
    const told = [revision(2, verified), revision(3, after), revision(4, verified)];
    expect(kinds(play(...told))).toEqual(['post R1', 'undo R1', 'post R1']);
  }
});

test('a double leaves the first posting alone while its money moved, and opens an exception with the others', () => {
  const { held, postings } = play(revision(2, verified), revision(3, doubled));
  expect(postings.map(({ kind }) => kind)).toEqual(['post']);
  expect(held).toMatchObject({ posted: POSTED, exception: expect.stringContaining('R2') });
  expect(kinds(play(revision(2, verified), revision(3, { ...doubled, money_moved: false })))).toEqual([
    'post R1',
    'undo R1',
  ]);
});

test('a double that is taken back closes its exception', () => {
  expect(play(revision(2, verified), revision(3, doubled), revision(4, verified)).held?.exception).toBeNull();
});

test('any other contradiction undoes the posting and asks a person', () => {
  const wrong = { ...verified, verdict: 'CONTRADICTED', class: 'wrong_amount' } as const;
  expect(kinds(play(revision(2, verified), revision(3, wrong)))).toEqual(['post R1', 'undo R1']);
  expect(play(revision(3, wrong)).held?.exception).not.toBeNull();
});

test('another refund in the place of the first takes the first back', () => {
  const other = { ...verified, refund: { ...REFUND, id: 'R9', amount: '12.00' } };
  expect(kinds(play(revision(2, verified), revision(3, other)))).toEqual(['post R1', 'undo R1', 'post R9']);
});

const aVerdict = fc.record({
  verdict: fc.constantFrom('VERIFIED', 'CONTRADICTED', 'FAILED', 'PENDING', 'UNVERIFIABLE'),
  class: fc.constantFrom(null, 'duplicate_side_effect', 'wrong_amount'),
  money_moved: fc.constantFrom(true, false, null),
  refund: fc.constantFrom(null, REFUND, { ...REFUND, id: 'R2', amount: '7.50' }),
});

/** Revisions 1, 2, … of one operation, as they may have been decided. */
const aHistory = fc.array(aVerdict, { minLength: 1, maxLength: 8 }).map((all) =>
  all.map((fields, index) => {
    const kind = fields.verdict === 'CONTRADICTED' ? (fields.class ?? ('rejected' as const)) : null;
    return revision(index + 1, { ...fields, class: kind } as Partial<VerdictRecord>);
  }),
);

/** The same with gaps, and then with everything delivered again and again, late ones too. */
const aDelivery = aHistory.chain((history) =>
  fc
    .record({
      kept: fc.subarray(history.slice(0, -1)),
      again: fc.array(fc.record({ after: fc.nat(20), which: fc.nat(20) }), { maxLength: 12 }),
    })
    .map(({ kept, again }) => {
      const inOrder = [...kept, ...history.slice(-1)];
      const delivered = inOrder.flatMap((verdict, index) => {
        const seen = inOrder.slice(0, index + 1);
        const repeats = again.filter(({ after }) => after % inOrder.length === index);
        return [verdict, ...repeats.map(({ which }) => seen[which % seen.length] ?? verdict)];
      });
      return { inOrder, delivered };
    }),
);

test('repeats and late repeats change nothing, whatever the gaps', () => {
  fc.assert(
    fc.property(aDelivery, ({ inOrder, delivered }) => {
      expect(play(...delivered)).toEqual(play(...inOrder));
    }),
  );
});

test('at most one refund is posted at any time, what is held is what the postings add up to, and none outlives its word', () => {
  fc.assert(
    fc.property(aDelivery, ({ delivered, inOrder }) => {
      const { held, postings } = play(...delivered);
      let open: string | null = null;
      for (const { kind, refund, amount } of postings) {
        const one = `${refund} ${amount}`;
        if (kind === 'post') expect(open).toBeNull();
        else expect(open).toBe(one);
        open = kind === 'post' ? one : null;
      }
      expect(open).toBe(held?.posted ? `${held.posted.refund} ${held.posted.amount}` : null);
      const last = inOrder.at(-1);
      if (last?.money_moved !== true) expect(open).toBeNull();
      // A gap never posts what no verified verdict said.
      if (!inOrder.some(({ verdict }) => verdict === 'VERIFIED')) expect(postings).toEqual([]);
      if (last?.verdict === 'VERIFIED' && last.money_moved && last.refund !== null)
        expect(open).toBe(`${last.refund.id} ${String(last.refund.amount)}`);
    }),
  );
});

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const aFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
  folders.push(folder);
  return join(folder, 'ledger.json');
};

test('a crash at any point, with the batch delivered again, leaves each posting made once', () => {
  fc.assert(
    fc.property(aDelivery, fc.array(fc.nat(4), { maxLength: 6 }), ({ inOrder, delivered }, crashes) => {
      const path = aFile();
      let at = 0;
      for (const size of [...crashes, 50]) {
        // A new run goes on from the offset that was committed last, which may lie before what the file holds.
        const ledger = new LedgerFile(path);
        ledger.apply(delivered.slice(at, at + size));
        at = Math.max(0, at + size - 2);
      }
      const ledger = new LedgerFile(path);
      ledger.apply(delivered);
      expect({ held: ledger.held(KEY), postings: ledger.postings }).toEqual(play(...inOrder));
    }),
    { numRuns: 40 },
  );
});

test('what could not be kept is not held either: the same batch again makes up for it', () => {
  const path = aFile();
  const ledger = new LedgerFile(path);
  ledger.apply([revision(2, verified)]);
  const before = readFileSync(path, 'utf8');
  mkdirSync(`${path}.new`);
  expect(() => ledger.apply([revision(3, failed)])).toThrow('EISDIR');
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(ledger.held(KEY)?.revision).toBe(2);
  rmSync(`${path}.new`, { recursive: true });
  ledger.apply([revision(3, failed)]);
  expect(kinds(new LedgerFile(path))).toEqual(['post R1', 'undo R1']);
});

test('a value that is no verdict stops the ledger', async () => {
  await expect(readVerdict(Buffer.from('{"kind":"verdict"}'), null)).rejects.toThrow('a verdict cannot be read');
  await expect(readVerdict(Buffer.from(JSON.stringify(example)), null)).resolves.toMatchObject({ revision: 2 });
});
