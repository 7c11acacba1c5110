import { test } from 'vitest';
import { crashRun } from '../integration/crash-run.ts';

/** Name one to run another. */
const SEED = Number(process.env['TEST_SEED'] ?? 1);

test(`50 kills over 20,000 records and more leave each revision published once (seed ${SEED})`, async () => {
  await crashRun({ seed: SEED, refunds: 5_000, kills: 50, batchRecords: 60 });
}, 1_200_000);
