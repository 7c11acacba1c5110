import { expect } from 'vitest';
import { Random } from '../simulation/random.ts';
import { operate } from './operator.ts';
import { deploy, diesOf, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

const POINTS = [
  'before-decode',
  'after-decode',
  'before-commit',
  'after-commit',
  'before-publish',
  'publish-begun',
  'publish-sent',
  'before-offset',
  'after-offset',
  'after-publish',
  'after-trim',
];

export interface CrashRun {
  readonly seed: number;
  readonly refunds: number;
  readonly kills: number;
  readonly batchRecords: number;
}

/** Kills `process` at one stage after the other while it works off a log, and holds what was published against a replay of it. */
export const crashRun = async ({ seed, refunds, kills, batchRecords }: CrashRun): Promise<void> => {
  const random = new Random(seed);
  const begun = performance.now();
  const log = refundLog(seed, refunds, Date.now() - 7_200_000);
  const deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: String(batchRecords) });
  try {
    await deployment.produce(log);
    for (let kill = 0; kill < kills; kill += 1) {
      const fault = `${POINTS[kill % POINTS.length]}:${random.int(1, 6)}`;
      await diesOf(deployment.start({ COUNTERSIGN_FAULT: fault }), fault);
    }
    const last = deployment.start();
    const expected = await replayed(log, Date.now());
    await expect
      .poll(async () => lastJudgements(await deployment.verdicts()), { timeout: 300_000, interval: 500 })
      .toEqual(expected);
    const published = await deployment.verdicts();
    expect(faultsOf(published)).toEqual([]);
    // A second state, built without a kill, is what the killed ones have left.
    const rebuilt = await operate(deployment.env, ['rebuild', '--trust-gateway', '--json']);
    expect(rebuilt.json().at(-1)).toMatchObject({ different: 0 });
    process.stdout.write(
      `${kills} kills over ${log.length} records: ${published.length} revisions of ${expected.size} operations, ${Math.round((performance.now() - begun) / 1000)} s\n`,
    );
    last.kill('SIGTERM');
    expect(await last.ended).toBe(0);
  } finally {
    await deployment.close();
  }
};
