import { afterEach, expect, test } from 'vitest';
import { type Deployment, deploy, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

let deployment: Deployment | null = null;

afterEach(async () => {
  await deployment?.close();
  deployment = null;
});

const ALL = '"shards":[0,1,2,3],"msg":"joined the group"';

test('members that come, go, freeze and wake while records flow leave each revision once and the verdicts of a replay', async () => {
  const log = refundLog(2, 600, Date.now() - 3_600_000);
  // In the log's own order, cut in four: evidence of one refund lies in several of them.
  const quarter = Math.ceil(log.length / 4);
  const [first = [], second = [], third = [], fourth = []] = [0, 1, 2, 3].map((part) =>
    log.slice(part * quarter, (part + 1) * quarter),
  );
  deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: '20' });
  const { produce, start, verdicts } = deployment;

  const a = start();
  await a.logged(ALL);
  await produce(first);
  const b = start();
  await b.logged('took the shard');
  await produce(second);

  // Frozen in the middle of its work, it cannot tell anybody; the other gets its shards when its session ends.
  a.kill('SIGSTOP');
  await b.logged(ALL);
  await produce(third);
  const frozen = a.lines.length;
  await expect.poll(async () => (await verdicts()).length, { timeout: 30_000, interval: 100 }).toBeGreaterThan(400);
  a.kill('SIGCONT');
  await produce(fourth);
  await expect
    .poll(() => a.lines.slice(frozen).some((line) => line.includes('joined the group')), { timeout: 30_000 })
    .toBe(true);
  b.kill('SIGTERM');
  expect(await b.ended).toBe(0);

  const expected = await replayed(log, Date.now());
  await expect.poll(async () => lastJudgements(await verdicts()), { timeout: 60_000, interval: 250 }).toEqual(expected);
  expect(faultsOf(await verdicts())).toEqual([]);
  a.kill('SIGTERM');
  expect(await a.ended).toBe(0);
}, 180_000);
