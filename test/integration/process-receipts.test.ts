import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { createRedis } from '../../src/drivers/redis/connect.ts';
import { auditChains, KeySet, publicKeys, verifyLines } from '../../src/receipts/index.ts';
import { printJson } from '../../src/records/json-text.ts';
import { hasPython, runPython } from '../support/python.ts';
import { linesOf, testKey } from '../support/receipts.ts';
import { runHere } from '../support/run-here.ts';
import { readAll } from './kafka-fixture.ts';
import { type Deployment, deploy, diesOf, faultsOf, lastJudgements, replayed } from './process-fixture.ts';
import { redisSettings, snapshotPrefix } from './redis-store.ts';
import { type LogEntry, refundLog } from './refund-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-keys-'));
const key = testKey('k1');
const keyFile = join(folder, 'keys.json');
writeFileSync(keyFile, JSON.stringify({ keys: [key] }), { mode: 0o600 });
const keys = new KeySet([key]);
const redis = createRedis(redisSettings());
let deployment: Deployment | null = null;

afterEach(async () => {
  await deployment?.close();
  deployment = null;
});
afterAll(async () => {
  await redis.close();
  rmSync(folder, { recursive: true });
});

const published = async (of: Deployment, log: readonly LogEntry[]): Promise<void> => {
  const expected = await replayed(log, Date.now());
  await expect
    .poll(async () => lastJudgements(await of.verdicts()), { timeout: 60_000, interval: 200 })
    .toEqual(expected);
};

/** Every receipt of the topic, partition by partition, in order. */
const receiptsOf = async ({ reader, prefix }: Deployment): Promise<string[]> => {
  const texts: string[] = [];
  const { length } = await reader.bounds(`${prefix}receipts`);
  for (let partition = 0; partition < length; partition += 1) {
    for (const { value } of await readAll(reader, `${prefix}receipts`, partition))
      texts.push(Buffer.from(value ?? '').toString('utf8'));
  }
  return texts;
};

/** All that is wrong with what a deployment has published: chains, signatures, verdicts without receipts, receipts without verdicts. */
const problemsOf = async (of: Deployment): Promise<readonly unknown[]> => {
  const verdicts = (await of.verdicts()).map(({ verdict }) => verdict);
  const exported = await receiptsOf(of);
  const options = { isPartial: false, allowsUnsealed: false };
  const records = linesOf(
    verdicts.map((verdict) => printJson(verdict as never)),
    'verdicts',
  );
  const verified = await verifyLines([...linesOf(exported, 'receipts'), ...records], keys, options);
  const ofLog = verified.receipts.filter(({ at }) => at.startsWith('receipts'));
  const { problems } = auditChains(ofLog, [], false);
  const sealed = verdicts.filter(({ receipt }) => receipt !== null).map(({ verdict_id: id }) => id);
  const inLog = ofLog.map(({ receipt }) => receipt.verdict.verdict_id);
  expect(inLog.sort()).toEqual(sealed.sort());
  expect(sealed.length).toBeGreaterThan(0);
  return [...verified.problems, ...problems, ...faultsOf(await of.verdicts())];
};

/** The commands read the topic by themselves. */
const holdsOnTheCommandLine = async (of: Deployment): Promise<void> => {
  const keyPath = join(folder, 'keys.public.json');
  writeFileSync(keyPath, JSON.stringify(publicKeys([key])));
  vi.stubEnv('COUNTERSIGN_TOPIC_PREFIX', of.prefix);
  const audited = await runHere(['receipts', 'audit', '--keys', keyPath]);
  const exported = await runHere(['receipts', 'export']);
  vi.unstubAllEnvs();
  expect(audited).toMatchObject({ code: 0, stdout: expect.stringContaining('The chains are whole') });
  expect(exported.stdout.trim().split('\n').sort()).toEqual((await receiptsOf(of)).sort());
};

/** The second verifier says the same. */
const holdsInPython = async (of: Deployment): Promise<void> => {
  const [keyPath, path] = [join(folder, 'keys.public.json'), join(folder, 'receipts.jws')];
  writeFileSync(keyPath, JSON.stringify(publicKeys([key])));
  const exported = await receiptsOf(of);
  writeFileSync(path, exported.join('\n'));
  const { status, lines } = runPython(['verify.py', '--keys', keyPath, '--audit', path]);
  expect(lines).toEqual([{ ok: true, receipts: exported.length }]);
  expect(status).toBe(0);
};

test('the chains are unbroken over kills in the middle of publishing, take-overs and a store that goes back in time', async () => {
  deployment = await deploy({ COUNTERSIGN_BATCH_RECORDS: '10', COUNTERSIGN_RECEIPTS_KEYS: keyFile });
  const log = refundLog(11, 120, Date.now() - 7_200_000);
  const [first, second] = [log.slice(0, log.length / 2), log.slice(log.length / 2)];
  await deployment.produce(first);
  for (const fault of ['publish-sent:2', 'after-offset:3', 'after-publish:2', 'after-commit:2'])
    await diesOf(deployment.start({ COUNTERSIGN_FAULT: fault }), fault);
  const owner = deployment.start();
  await published(deployment, first);
  const restore = await snapshotPrefix(redis, `${deployment.prefix}state`);
  await deployment.produce(second);
  await published(deployment, log);
  expect(await problemsOf(deployment)).toEqual([]);

  owner.kill('SIGKILL');
  await owner.ended;
  await restore();
  await diesOf(deployment.start({ COUNTERSIGN_FAULT: 'after-commit:2' }), 'after-commit:2');
  deployment.start();
  const later = refundLog(12, 40, Date.now() - 3_600_000);
  await deployment.produce(later);
  await published(deployment, [...log, ...later]);
  expect(await problemsOf(deployment)).toEqual([]);
  await holdsOnTheCommandLine(deployment);
  if (hasPython) await holdsInPython(deployment);
}, 240_000);

test('without transactions a verdict that is published again after a kill keeps its receipt', async () => {
  deployment = await deploy({
    COUNTERSIGN_BATCH_RECORDS: '10',
    COUNTERSIGN_TRANSACTIONAL: 'false',
    COUNTERSIGN_RECEIPTS_KEYS: keyFile,
  });
  const log = refundLog(13, 60, Date.now() - 7_200_000);
  await deployment.produce(log);
  for (const fault of ['publish-sent:2', 'after-publish:2'])
    await diesOf(deployment.start({ COUNTERSIGN_FAULT: fault }), fault);
  const owner = deployment.start();
  await published(deployment, log);
  const exported = linesOf(await receiptsOf(deployment));
  const { receipts, problems } = await verifyLines(exported, keys, { isPartial: false, allowsUnsealed: false });
  expect([...problems, ...auditChains(receipts, [], false).problems]).toEqual([]);
  // The log of the process names the file, and nothing that is in it.
  expect(owner.lines.join('\n')).toContain('verdicts are sealed');
  expect(owner.lines.join('\n')).not.toContain(key.d);
}, 240_000);
