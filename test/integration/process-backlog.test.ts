import { afterEach, expect, test } from 'vitest';
import { type Deployment, deploy, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

let deployment: Deployment | null = null;

afterEach(async () => {
  await deployment?.close();
  deployment = null;
});

test('a consumer that was down past every deadline works off its backlog first: none fires over evidence that lay there', async () => {
  // Ten days ago: each contract's timeout has long passed by the wall clock.
  const log = refundLog(31, 300, Date.now() - 10 * 86_400_000);
  deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: '7' });
  await deployment.produce(log);
  const process = deployment.start();
  const { verdicts } = deployment;
  const expected = await replayed(log, Date.now());
  await expect.poll(async () => lastJudgements(await verdicts()), { timeout: 60_000, interval: 200 }).toEqual(expected);
  const published = await verdicts();
  expect(faultsOf(published)).toEqual([]);
  const silent = new Set(
    [...expected].filter(([, said]) => said.includes('evidence_unavailable')).map(([operation]) => operation),
  );
  expect(silent.size).toBeGreaterThan(0);
  const late = published.filter(
    ({ verdict }) => verdict.reason === 'evidence_unavailable_before_timeout' && !silent.has(verdict.operation_id),
  );
  expect(late.map(({ verdict }) => verdict.operation_id)).toEqual([]);
  // And those without evidence were judged at their deadline, not when somebody looked.
  const [first] = log;
  for (const { verdict } of published) {
    if (!silent.has(verdict.operation_id) || verdict.revision < 2) continue;
    expect(Date.parse(verdict.decided_at)).toBeLessThan((first?.at ?? 0) + 4 * 86_400_000);
  }
  // By the clock of now nothing may be PENDING any more, and the metrics say so.
  const metrics = await (await fetch(`${await process.address}/metrics`)).text();
  expect(metrics.match(/^countersign_oldest_unresolved_operation_seconds\{shard="\d"\} 0$/gm)).toHaveLength(4);
  expect(metrics).toMatch(/^countersign_duplicates_dropped_total\{provider="\w+"\} [1-9]/m);
  process.kill('SIGTERM');
  expect(await process.ended).toBe(0);
}, 120_000);
