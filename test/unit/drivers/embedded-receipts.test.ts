import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BatchDeps } from '../../../src/consumers/batch-deps.ts';
import { openReceiptFile } from '../../../src/drivers/files/receipt-file.ts';
import { EmbeddedPipeline } from '../../../src/drivers/memory/embedded-pipeline.ts';
import type { EmbeddedInput } from '../../../src/drivers/memory/journal-entry.ts';
import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import { auditChains, type KeyRecord, KeySet, verifyLines } from '../../../src/receipts/index.ts';
import { printJson } from '../../../src/records/json-text.ts';
import { trustingDeps } from '../../support/batch-deps.ts';
import { acted, settled, webhook } from '../../support/paypal-log.ts';
import { linesOf, sealerWith, testKey } from '../../support/receipts.ts';

const deps = trustingDeps();
const NOON = Date.parse('2026-09-01T12:00:00.000Z');
const STRICT = { isPartial: false, allowsUnsealed: false };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-embedded-receipts-'));
  path = join(folder, 'receipts.jws');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inputOf = (line: string): EmbeddedInput => {
  const { topic, value } = JSON.parse(line) as { topic: EmbeddedInput['topic']; value: object };
  return { topic, value: JSON.stringify(value) };
};

/** Opens the folder as a process does, applies the lines, and closes. */
const run = async (keys: readonly KeyRecord[], lines: readonly string[], batch: BatchDeps = deps) => {
  const sealer = sealerWith(...keys);
  const store = await openReceiptFile(path, sealer);
  const recovered: VerdictRecord[] = [];
  const fresh: VerdictRecord[] = [];
  const pipeline = await EmbeddedPipeline.open({
    deps: batch,
    clock: { now: () => NOON + 60_000 },
    journal: join(folder, 'journal'),
    receipts: { sealer, store },
    onWarning: () => undefined,
    onVerdict: ({ verdict, isRecovered }) => (isRecovered ? recovered : fresh).push(verdict),
  });
  for (const line of lines) await pipeline.append([inputOf(line)]);
  await pipeline.close();
  store.close();
  return { recovered, fresh };
};

const receiptLines = (): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean);

const check = async (texts: readonly string[], keys: readonly KeyRecord[]) => {
  const { problems, receipts } = await verifyLines(linesOf(texts), new KeySet(keys), STRICT);
  return [...problems, ...auditChains(receipts, [], false).problems];
};

/** The operation of `settled` reports a second refund, and that one is live: the money went twice. */
const doubled = (operation: string, refund: string): string[] => [
  acted(operation, 40, { refund, created: 39 }),
  webhook('WH-doubled', 42, { refund, created: 39 }),
];

describe('receipts of the embedded pipeline', () => {
  const key = testKey('k1');

  it('stand after the journal is replayed, and the chain goes on from them', async () => {
    const before = await run([key], settled('op-1', 'R1'));
    const after = await run([key], settled('op-2', 'R2', 'ANOTHERCAPTURE001'));
    expect(after.recovered).toEqual(before.fresh);
    const records = [...before.fresh, ...after.fresh];
    expect(await check(receiptLines(), [key])).toEqual([]);
    expect(
      await check(
        records.map((one) => printJson(one as never)),
        [key],
      ),
    ).toEqual([]);
    expect(receiptLines()).toHaveLength(records.filter(({ receipt }) => receipt !== null).length);
    expect(receiptLines()).toHaveLength(2);
  });

  it('stand after a rotation: what the old key has sealed, the new one does not seal again', async () => {
    const before = await run([key], settled('op-1', 'R1'));
    const keys = [key, testKey('k2', { not_before: '2026-01-01T00:00:00Z' })];
    const after = await run(keys, settled('op-2', 'R2', 'ANOTHERCAPTURE001'));
    expect(after.recovered).toEqual(before.fresh);
    expect(await check(receiptLines(), keys)).toEqual([]);
  });

  it('are sealed again, with the same bytes, where a crash has lost them', async () => {
    await run([key], [...settled('op-1', 'R1'), ...settled('op-2', 'R2', 'ANOTHERCAPTURE001')]);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.slice(0, whole.length / 2 + 40));
    await run([key], []);
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });

  it('stand where a newer version words a verdict otherwise: it is not sealed twice, and the chain goes on', async () => {
    await run([key], settled('op-1', 'R1'));
    const reworded: BatchDeps = {
      ...deps,
      reduce: (contracts, input) => {
        const step = deps.reduce(contracts, input);
        return { ...step, verdicts: step.verdicts.map((one) => ({ ...one, detail: `${one.detail} Indeed.` })) };
      },
    };
    const after = await run([key], doubled('op-1', 'R9'), reworded);
    expect(after.recovered.map(({ receipt }) => receipt)).toEqual([null, null]);
    expect(after.fresh.length).toBeGreaterThan(0);
    expect(await check(receiptLines(), [key])).toEqual([]);
  });

  it('are refused where the keys that sealed them are gone', async () => {
    await run([key], settled('op-1', 'R1'));
    await expect(run([testKey('k2')], [])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('line 1 of'),
    });
  });
});
