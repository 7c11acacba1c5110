import { afterAll, beforeAll, expect, test } from 'vitest';
import { topicSpecs } from '../../src/drivers/kafka/topic-specs.ts';
import { RECORD_KINDS } from '../../src/records/avro-schemas.ts';
import { operate } from './operator.ts';
import { type Deployment, deploy } from './process-fixture.ts';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { area: string; status: string; what: string; advice: string | null }[];
}

let deployment: Deployment;
beforeAll(async () => {
  deployment = await deploy({ COUNTERSIGN_REPLICATION: '1' });
});
afterAll(() => deployment.close());

/** how many there are; all but dead-letter have a partition count that must be right */
const TOPICS = topicSpecs({ prefix: '', partitions: 1, replication: 1, retentionMs: 1 }).length;

const report = async (
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; report: Report }> => {
  const run = await operate({ ...deployment.env, ...env }, ['doctor', '--json', ...args]);
  return { code: run.code, report: JSON.parse(run.stdout) as Report };
};

const failed = ({ checks }: Report): string[] =>
  checks.filter(({ status }) => status === 'fail').map(({ area, what }) => `${area}: ${what}`);

test('finds nothing wrong with servers that are as they should be, and asks their clocks', async () => {
  const { code, report: found } = await report({}, '--probe');
  expect(failed(found)).toEqual([]);
  expect(code).toBe(0);
  const lines = found.checks.map(({ area, what }) => `${area}: ${what}`);
  expect(lines).toContain("clock: Kafka agrees with this machine's clock");
  expect(lines).toContain('permissions: not checkable: no authorizer');
  expect(lines.some((line) => line.startsWith('redis:') && line.includes('noeviction'))).toBe(true);
});

test('names a topic that is missing or has another partition count, and a schema that is not registered', async () => {
  const { code, report: found } = await report({
    COUNTERSIGN_PARTITIONS: '5',
    COUNTERSIGN_REGISTRY_URL: process.env['COUNTERSIGN_REGISTRY_URL'] ?? '',
  });
  expect(code).toBe(1);
  const problems = failed(found);
  expect(problems.filter((line) => line.includes('partitions is 4, should be 5')).length).toBe(TOPICS - 1);
  expect(problems.filter((line) => line.startsWith('registry:') && line.includes('missing')).length).toBe(
    RECORD_KINDS.length,
  );
  const nowhere = await report({ COUNTERSIGN_TOPIC_PREFIX: 'nowhere.' });
  expect(failed(nowhere.report)).toContain('topics: nowhere.verdicts: exists is no, should be yes');
});

test('a server that does not answer is a finding, and the others are checked all the same', async () => {
  const { code, report: found } = await report({ COUNTERSIGN_REDIS_URL: 'redis://127.0.0.1:1' });
  expect(code).toBe(1);
  expect(failed(found).length).toBe(1);
  expect(failed(found)[0]).toContain('STATE_UNAVAILABLE');
  expect(found.checks.filter(({ area, status }) => area === 'topics' && status === 'ok').length).toBe(TOPICS);
});
