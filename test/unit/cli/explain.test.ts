import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acted, CAPTURE, settled, started, webhook } from '../../support/paypal-log.ts';
import { runCli } from '../../support/run-cli.ts';

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-explain-'));
  path = join(folder, 'log.jsonl');
  const records = [
    ...settled('op-1', 'R1'),
    'op-1 and nonsense',
    started('op-1', 40, 'ANOTHERCAPTURE001'),
    started('op-2', 41, 'CAPTURE2'),
  ];
  records.push(webhook('WH-R1', 50, { refund: 'R1' }));
  writeFileSync(path, `${records.join('\n')}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = `paypal:merchant-1:${CAPTURE}/op-1`;

describe('countersign explain', () => {
  it('tells each record, each revision, each condition and what is awaited', async () => {
    const run = await runCli(['explain', KEY, path, '--trust-gateway']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('Verdict: VERIFIED, all_conditions_hold, revision 2');
    expect(run.stdout).toContain('The payment service started this operation: a refund of 10.00 USD');
    expect(run.stdout).toContain('PayPal answered the refund call of this operation: refund R1 of 10.00 USD');
    expect(run.stdout).toContain('PayPal sent the event PAYMENT.CAPTURE.REFUNDED about refund R1');
    expect(run.stdout).toContain('· refund_on_intended_capture: holds, observed 1, expected 1');
    expect(run.stdout).toContain('It was seen before and counts once.');
    expect(run.stdout).toContain('A record about it is no evidence (RECORD_MALFORMED)');
    expect(run.stdout).toMatch(/refund_amount_matches +holds +10\.00 +10\.00/);
    expect(run.stdout).not.toContain('CAPTURE2');
  });

  it('says until when it waits, and with --until what became of it', async () => {
    const waiting = await runCli(['explain', 'op-2', path, '--trust-gateway']);
    expect(waiting.stdout).toMatch(/2026-09-04 12:00:41 UTC: the deadline/);
    const later = await runCli(['explain', 'op-2', path, '--trust-gateway', '--until', '2026-10-01T00:00:00Z']);
    expect(later.stdout).toContain('time passed');
    expect(later.stdout).toContain('revision 2: UNVERIFIABLE, evidence_unavailable_before_timeout');
  });

  it('tells what was said when the verdict was published apart from what is to be said now', async () => {
    const log = join(folder, 'open.jsonl');
    const event = webhook('E', 4, { refund: 'R7' });
    writeFileSync(log, [started('op-7', 0), acted('op-7', 1, { refund: 'R7' }), event].join('\n'));
    const { stdout } = await runCli(['explain', 'op-7', log, '--trust-gateway']);
    expect(stdout).toMatch(/When it was published: /);
    expect(stdout).toMatch(/As of 2026-09-01 12:00:04 UTC: /);
    const json = JSON.parse((await runCli(['explain', 'op-7', log, '--trust-gateway', '--json'])).stdout);
    expect(json.last.revision).toBe(1);
    expect(json.present).toMatchObject({ as_of: json.as_of, verdict: 'PENDING', conditions: json.conditions });
    expect(json.present.detail).not.toBe(json.last.detail);
  });

  it('names the candidates where several payments share the id', async () => {
    const run = await runCli(['explain', 'op-1', path, '--trust-gateway']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`  ${KEY}\n  paypal:merchant-1:ANOTHERCAPTURE001/op-1\n`);
  });

  it('says that an operation is unknown', async () => {
    const run = await runCli(['explain', 'op-9', path]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('no operation op-9 in');
  });

  it('prints the same story as one JSON object', async () => {
    const run = await runCli(['explain', KEY, path, '--trust-gateway', '--json']);
    const story = JSON.parse(run.stdout) as { last: { verdict: string }; entries: { form: string }[]; as_of: string };
    expect(story.last.verdict).toBe('VERIFIED');
    expect(story.entries.map(({ form }) => form)).toEqual([
      'record',
      'revision',
      'record',
      'record',
      'record',
      'revision',
      'dead_letter',
      'record',
    ]);
    expect(story.as_of).toBe('2026-09-01T12:00:50.000Z');
  });

  it('tells of a start that contradicts the first', async () => {
    const stdin = `${started('op-1', 0)}\n${started('op-1', 5, CAPTURE, '99.00')}\n`;
    const run = await runCli(['explain', 'op-1', '-', '--trust-gateway'], { stdin });
    expect(run.stdout).toMatch(/99\.00 USD.*no evidence \(OPERATION_CONFLICT\)/s);
    expect(run.stdout).toContain('Verdict: PENDING');
  });

  it('reads standard input twice', async () => {
    const stdin = `${settled('op-1', 'R1').join('\n')}\n`;
    const run = await runCli(['explain', 'op-1', '-', '--trust-gateway'], { stdin });
    expect(run.stdout).toContain('Verdict: VERIFIED');
  });
});
