import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operate } from './operator.ts';
import { type Deployment, deploy, lastJudgements, replayed } from './process-fixture.ts';
import { refundLog } from './refund-log.ts';

const log = refundLog(23, 40, Date.now() - 30 * 86_400_000);
let deployment: Deployment;

beforeAll(async () => {
  deployment = await deploy();
  await deployment.produce(log);
  await deployment.start().address;
  const expected = await replayed(log, Date.now());
  await vi.waitFor(async () => expect(lastJudgements(await deployment.verdicts())).toEqual(expected), {
    timeout: 90_000,
    interval: 1_000,
  });
});
afterAll(() => deployment.close());

interface Question {
  readonly verdict: { readonly verdict_id: string; readonly operation_id: string; readonly decided_at: string };
}

const run = (...args: string[]) => operate(deployment.env, args);

test('lists escalated verdicts oldest first, and a decision is published in answer to one', async () => {
  const questions = (await run('review', 'list', '--json')).json<Question>();
  expect(questions.length).toBeGreaterThan(1);
  const instants = questions.map(({ verdict }) => Date.parse(verdict.decided_at));
  expect(instants).toEqual([...instants].sort((a, b) => a - b));
  const { verdict_id: answered = '', operation_id: operation = '' } = questions[0]?.verdict ?? {};

  const decide = (...more: string[]) =>
    run('review', 'resolve', answered, '--decision', 'FAILED', '--reviewer', 'maria', '--reason', 'not there', ...more);
  expect((await decide()).code).toBe(0);
  await vi.waitFor(
    async () => {
      const last = (await deployment.verdicts()).filter(({ verdict }) => verdict.operation_id === operation).at(-1);
      expect(last?.verdict).toMatchObject({ verdict: 'FAILED', basis: 'review', reason: 'decided_by_reviewer' });
    },
    { timeout: 30_000, interval: 300 },
  );
  const late = await decide();
  expect(late.code).toBe(2);
  expect(late.stderr).toContain('is no longer the latest');
  expect(
    (await run('review', 'list', '--json')).json<Question>().map(({ verdict }) => verdict.verdict_id),
  ).not.toContain(answered);
});

test('tells the live story of an operation from Redis, by its whole name or by its id', async () => {
  // The last word on each operation: a refund that was VERIFIED may have been found doubled since.
  const lastWords = new Map((await deployment.verdicts()).map(({ verdict }) => [verdict.operation_id, verdict]));
  const settled = [...lastWords.values()].find(({ verdict }) => verdict === 'VERIFIED');
  const key = `${settled?.payment_key}/${settled?.operation_id}`;
  const byKey = await run('explain', key);
  expect(byKey.code).toBe(0);
  expect(byKey.stdout).toContain('Verdict: VERIFIED, all_conditions_hold');
  expect(byKey.stdout).toContain('The payment service started this operation: a refund of 10.00 USD');
  expect(byKey.stdout).toContain('PayPal sent the event PAYMENT.CAPTURE.REFUNDED');
  expect(byKey.stdout).toMatch(/refund_amount_matches +holds +10\.00 +10\.00/);
  const byId = await run('explain', settled?.operation_id ?? '', '--json');
  expect(byId.json()[0]).toMatchObject({
    operationId: settled?.operation_id,
    last: { verdict_id: settled?.verdict_id },
  });
  expect((await run('explain', 'nobody')).stderr).toContain('no operation nobody is held');
});
