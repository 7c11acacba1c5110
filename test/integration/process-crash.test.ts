import { afterEach, expect, test } from 'vitest';
import { Random } from '../simulation/random.ts';
import { type Deployment, deploy, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

let deployment: Deployment | null = null;

afterEach(async () => {
  await deployment?.close();
  deployment = null;
});

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

const KILLS = Number(process.env['TEST_KILLS'] ?? 11);
const REFUNDS = Number(process.env['TEST_REFUNDS'] ?? 900);

test(`${KILLS} kills at any stage leave each revision published once, none missing, and the verdicts of a replay`, async () => {
  const seed = Number(process.env['TEST_SEED'] ?? 1);
  const random = new Random(seed);
  const log = refundLog(seed, REFUNDS, Date.now() - 3_600_000);
  deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: '25' });
  await deployment.produce(log);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const fault = `${POINTS[kill % POINTS.length]}:${random.int(1, 6)}`;
    const doomed = deployment.start({ COUNTERSIGN_FAULT: fault });
    expect(await doomed.ended, `${fault}: ${doomed.lines.at(-1)}`).toBe('SIGKILL');
  }
  const last = deployment.start();
  const expected = await replayed(log, Date.now());
  const { verdicts } = deployment;
  await expect.poll(async () => lastJudgements(await verdicts()), { timeout: 60_000, interval: 250 }).toEqual(expected);
  const published = await verdicts();
  expect(faultsOf(published)).toEqual([]);
  last.kill('SIGTERM');
  expect(await last.ended).toBe(0);
}, 180_000);
