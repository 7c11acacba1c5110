import { test } from 'vitest';
import { crashRun } from './crash-run.ts';

test('kills at every stage leave each revision published once, none missing, and the verdicts of a replay', async () => {
  await crashRun({ seed: 1, refunds: 500, kills: 11, batchRecords: 20 });
}, 480_000);
