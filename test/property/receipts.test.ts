import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, VerdictRecord } from '../../src/evaluator/index.ts';
import { EMPTY_CHAIN } from '../../src/ports/receipt-sealer.ts';
import { auditChains, KeySet, type NamedHead, type Verification, verifyLines } from '../../src/receipts/index.ts';
import { parseJsonText, printJson } from '../../src/records/json-text.ts';
import { linesOf, sealerWith, TestShard, testKey, verdictOf } from '../support/receipts.ts';

const key = testKey('k1');
const keys = new KeySet([key]);
const strict = { isPartial: false, allowsUnsealed: false };
const NAMES = ['VERIFIED', 'FAILED', 'CONTRADICTED', 'UNVERIFIABLE', 'PENDING'] as const;

/** What an owner may decide: for each commit, the operations that get a revision and what it says. */
const commits = fc.array(
  fc.array(fc.record({ operation: fc.constantFrom('op-1', 'op-2', 'op-3'), verdict: fc.constantFrom(...NAMES) }), {
    maxLength: 4,
  }),
  { maxLength: 6 },
);

interface Run {
  readonly jws: readonly string[];
  readonly records: readonly VerdictRecord[];
  readonly head: NamedHead;
}

const run = async (
  steps: readonly (readonly { operation: string; verdict: (typeof NAMES)[number] }[])[],
): Promise<Run> => {
  const shard = new TestShard(sealerWith(key));
  const revisions = new Map<string, number>();
  const [jws, records]: [string[], VerdictRecord[]] = [[], []];
  for (const step of steps) {
    const verdicts = step.map(({ operation, verdict }) => {
      const revision = (revisions.get(operation) ?? 0) + 1;
      revisions.set(operation, revision);
      return verdictOf(operation, revision, { verdict });
    });
    const published = await shard.publish(verdicts);
    jws.push(...published.jws);
    records.push(...published.records);
  }
  return { jws, records, head: { log: 'receipts', shard: 0, ...shard.head } };
};

const check = async (
  texts: readonly string[],
  head: NamedHead,
): Promise<{ verified: Verification; codes: string[] }> => {
  const verified = await verifyLines(linesOf(texts), keys, strict);
  const audited = auditChains(verified.receipts, [head], false);
  return { verified, codes: [...verified.problems, ...audited.problems].map(({ code }) => code) };
};

describe('receipts', () => {
  it('hold, whatever is decided and however it is batched', async () => {
    await fc.assert(
      fc.asyncProperty(commits, async (steps) => {
        const { jws, records, head } = await run(steps);
        expect((await check(jws, head)).codes).toEqual([]);
        const sealed = records.filter(({ receipt }) => receipt !== null).map((record) => JSON.stringify(record));
        expect((await check(sealed, head)).codes).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('are the same bytes from the record as from its text, whatever the intent holds', async () => {
    const value = fc.oneof(fc.jsonValue({ noUnicodeString: false }), fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'grapheme' }), value), async (drawn) => {
        // As a record holds it: what was read from JSON.
        const input = parseJsonText(printJson(drawn as JsonObject)) as JsonObject;
        const owner = sealerWith(key);
        const pending = new TestShard(owner).link([verdictOf('op-1', 1, { input })]);
        const sealed = await owner.seal(0, EMPTY_CHAIN, pending);
        expect(await sealerWith(key).seal(0, EMPTY_CHAIN, pending)).toEqual(sealed);
        const [jws, record] = [sealed.receipts[0]?.jws ?? '', sealed.verdicts[0]?.value ?? ''];
        const { problems } = await verifyLines(linesOf([jws, record]), keys, strict);
        expect(problems).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  describe('of one run', () => {
    let made: Run;
    beforeAll(async () => {
      const each = (verdict: (typeof NAMES)[number]) =>
        ['op-1', 'op-2', 'op-3'].map((operation) => ({ operation, verdict }));
      made = await run([each('PENDING'), each('VERIFIED'), each('CONTRADICTED'), each('UNVERIFIABLE')]);
    });

    it('show any single byte that is changed in an export', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 127 }), async (line, place, change) => {
          const texts = [...made.jws];
          const index = line % texts.length;
          const bytes = Buffer.from(texts[index] ?? '', 'latin1');
          const at = place % bytes.length;
          bytes[at] = ((bytes[at] ?? 0) ^ change) & 0x7f;
          // White space around a line is none of it.
          fc.pre(bytes.toString('latin1').trim() === bytes.toString('latin1') || (at > 0 && at < bytes.length - 1));
          texts[index] = bytes.toString('latin1');
          expect((await check(texts, made.head)).codes).not.toEqual([]);
        }),
        { numRuns: 250 },
      );
    });

    it('show any single byte that is changed in a verdict record, unless it says the same', async () => {
      const lines = made.records.filter(({ receipt }) => receipt !== null).map((record) => JSON.stringify(record));
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 127 }), async (line, place, change) => {
          const texts = [...lines];
          const index = line % texts.length;
          const before = texts[index] ?? '';
          const bytes = Buffer.from(before, 'latin1');
          const at = place % bytes.length;
          bytes[at] = ((bytes[at] ?? 0) ^ change) & 0x7f;
          const after = bytes.toString('latin1');
          texts[index] = after;
          let saysTheSame = false;
          try {
            saysTheSame = JSON.stringify(JSON.parse(after)) === before;
          } catch {
            // It is no JSON any more.
          }
          expect((await check(texts, made.head)).codes.length > 0).toBe(!saysTheSame);
        }),
        { numRuns: 250 },
      );
    });

    it('show what is removed, wherever', async () => {
      for (const index of made.jws.keys()) {
        const { codes } = await check(made.jws.toSpliced(index, 1), made.head);
        expect(codes).toContain('CHAIN_REMOVED');
      }
      expect((await check([], made.head)).codes).toEqual(['CHAIN_REMOVED']);
    });

    it('show what is doubled, and what is moved', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(made.jws.length - 1), fc.nat(made.jws.length), async (from, to) => {
          const one = made.jws[from] ?? '';
          expect((await check(made.jws.toSpliced(to, 0, one), made.head)).codes).toContain('CHAIN_DOUBLED');
          const moved = made.jws.toSpliced(from, 1).toSpliced(to, 0, one);
          const isMoved = moved.some((text, index) => text !== made.jws[index]);
          expect((await check(moved, made.head)).codes.includes('CHAIN_REORDERED')).toBe(isMoved);
        }),
        { numRuns: 60 },
      );
    });
  });
});
