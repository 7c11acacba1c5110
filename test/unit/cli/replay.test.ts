import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acted, settled, started, webhook } from '../../support/paypal-log.ts';
import { CLI, runCli } from '../../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-replay-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;
const verdicts = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { operation_id, revision, verdict } = JSON.parse(line) as Record<string, unknown>;
      return `${operation_id}:${revision} ${verdict}`;
    });

describe('countersign replay', () => {
  it('prints every revision as a JSON line in the order of publication', async () => {
    const path = file('a.jsonl', lines(...settled('op-1', 'R1')));
    const run = await runCli(['replay', path, '--json', '--trust-gateway']);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(verdicts(run.stdout)).toEqual(['op-1:1 PENDING', 'op-1:2 VERIFIED']);
  });

  it('reads several files, gzip told by its first bytes, and standard input', async () => {
    const [one, two, three, four] = settled('op-1', 'R1');
    const plain = file('one.jsonl', lines(one ?? '', two ?? ''));
    const gzip = file('two.log', gzipSync(lines(three ?? '')));
    const run = await runCli(['replay', plain, gzip, '-', '--json', '--trust-gateway'], { stdin: lines(four ?? '') });
    expect(run.code).toBe(0);
    expect(verdicts(run.stdout)).toEqual(['op-1:1 PENDING', 'op-1:2 VERIFIED']);
  });

  it('moves time on at the end with --until, and judges each deadline at its own instant', async () => {
    const path = file('until.jsonl', lines(started('op-2', 5, 'CAPTURE2'), started('op-1', 0)));
    const run = await runCli(['replay', path, '--json', '--trust-gateway', '--until', '2026-09-05T00:00:00Z']);
    expect(verdicts(run.stdout).slice(2)).toEqual(['op-1:2 UNVERIFIABLE', 'op-2:2 UNVERIFIABLE']);
    expect(run.stdout).toContain('"decided_at":"2026-09-04T12:00:05.000Z"');
  });

  it('tells what an open verdict waits for by the end of the log, and not when it was published', async () => {
    const [start, action, event] = [
      started('op-1', 0),
      acted('op-1', 1, { refund: 'R1' }),
      webhook('E', 4, { refund: 'R1' }),
    ];
    const early = await runCli(['replay', file('early.jsonl', lines(start)), '--trust-gateway']);
    expect(early.stdout).toContain('refund_on_intended_capture');
    const later = await runCli(['replay', file('later.jsonl', lines(start, action, event)), '--trust-gateway']);
    expect(later.stdout).toContain('Now: ');
    expect(later.stdout).not.toContain('refund_on_intended_capture');
    const json = await runCli(['replay', file('json.jsonl', lines(start, action, event)), '--trust-gateway', '--json']);
    expect(json.stdout).toContain('refund_on_intended_capture');
    expect(json.stdout).not.toContain('Now: ');
  });

  it('prints a table of final verdicts and a summary without --json', async () => {
    const path = file('table.jsonl', lines(...settled('op-1', 'R1'), started('op-2', 0, 'CAPTURE2')));
    const run = await runCli(['replay', path, '--trust-gateway']);
    expect(run.stdout).toMatch(/op-1 .* VERIFIED +all_conditions_hold/);
    expect(run.stdout).toMatch(/op-2 .* PENDING +awaiting_evidence/);
    expect(run.stdout).toContain('5 lines, 2 operations, as of 2026-09-01T12:00:30.000Z');
    expect(run.stdout).toContain('VERIFIED 1   PENDING 1');
  });

  it('sends bad lines to the dead-letter file with line, code and bytes, and exits 3', async () => {
    const path = file(
      'bad.jsonl',
      Buffer.concat([
        Buffer.from('\uFEFF'),
        Buffer.from(lines(started('op-1', 0), '', 'no json', '{"topic":"verdicts","value":{}}', 'a\0b')),
        Buffer.from([0x7b, 0xff, 0x0a]),
        Buffer.from('[1,2]\r\n'),
      ]),
    );
    const out = join(folder, 'dead.jsonl');
    const run = await runCli(['replay', path, '--json', '--trust-gateway', '--dead-letter', out]);
    expect(run.code).toBe(3);
    expect(run.stderr).toBe('');
    expect(verdicts(run.stdout)).toEqual(['op-1:1 PENDING']);
    const dead = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(dead.map(({ line, code }) => [line, code])).toEqual(
      [3, 4, 5, 6, 7].map((line) => [line, 'RECORD_MALFORMED']),
    );
    expect(dead[0]).toMatchObject({ file: path, text: 'no json' });
    expect(dead[2]).toMatchObject({ text: 'a\0b' });
    expect(dead[3]).toMatchObject({ bytes: Buffer.from([0x7b, 0xff]).toString('base64') });
  });

  it('bounds a line that is too long without holding it', async () => {
    const path = file(
      'long.jsonl',
      Buffer.concat([Buffer.alloc(9 * 1024 * 1024, 'x'), Buffer.from(lines('', started('op-1', 0)))]),
    );
    const run = await runCli(['replay', path, '--json', '--trust-gateway']);
    expect(run.code).toBe(3);
    expect(JSON.parse(run.stderr)).toMatchObject({ line: 1, code: 'RECORD_TOO_LARGE', length: 9 * 1024 * 1024 });
    expect(verdicts(run.stdout)).toEqual(['op-1:1 PENDING']);
  });

  it('takes no webhook for evidence whose signature it cannot check, and says what to do', async () => {
    const path = file('unsigned.jsonl', lines(webhook('WH-1', 4, { refund: 'R1' })));
    const run = await runCli(['replay', path]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('"code":"ENDPOINT_UNKNOWN"');
    expect(run.stdout).toContain('--trust-gateway');
  });

  it('keeps its time whatever instant a record claims that it refuses', async () => {
    const forged = webhook('WH-1', 300 * 86_400, { refund: 'R1' });
    const run = await runCli(['replay', file('forged.jsonl', lines(started('op-1', 0), forged)), '--json']);
    expect(run.stderr).toContain('"code":"ENDPOINT_UNKNOWN"');
    expect(verdicts(run.stdout)).toEqual(['op-1:1 PENDING']);
  });

  it('refuses to write bad lines over a file that it is to read, by whatever name', async () => {
    const path = file('kept.jsonl', lines(started('op-1', 0), 'no json'));
    const [hard, soft] = [join(folder, 'hard.jsonl'), join(folder, 'soft.jsonl')];
    linkSync(path, hard);
    symlinkSync(path, soft);
    for (const name of [path, hard, soft]) {
      const run = await runCli(['replay', path, '--dead-letter', name]);
      expect(run.code).toBe(2);
      expect(run.stderr).toContain(`--dead-letter ${name} is an input file too`);
    }
    expect(readFileSync(path, 'utf8')).toBe(lines(started('op-1', 0), 'no json'));
  });

  it('empties the dead-letter file of an earlier run', async () => {
    const out = file('leftover.jsonl', 'of yesterday\n');
    await runCli(['replay', file('good.jsonl', lines(started('op-1', 0))), '--dead-letter', out]);
    expect(readFileSync(out, 'utf8')).toBe('');
  });

  it.each([
    ['its output', ['--json'], /OUTPUT_UNWRITABLE: cannot write standard output: no space is left on the device/],
    ['bad lines', ['--dead-letter', '/dev/full'], /OUTPUT_UNWRITABLE: cannot write \/dev\/full: no space is left/],
  ])('says in words that the disk is full for %s', async (_what, args, message) => {
    const path = file('full.jsonl', lines(started('op-1', 0), 'no json'));
    const child = spawn(process.execPath, [...CLI, 'replay', path, ...args], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [code] = await once(child, 'close');
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('answers a wrong command line, a missing file and a wrong instant with 2 and one clear line', async () => {
    const cases: [string[], RegExp][] = [
      [['replay'], /missing required argument 'file'/],
      [['replay', join(folder, 'nowhere')], /INPUT_UNREADABLE: cannot read .*nowhere: there is no such file/],
      [['replay', folder], /it is a folder/],
      [['replay', file('x.jsonl', ''), '--until', 'tomorrow'], /RFC 3339 instant/],
      [['replay', '-', '-'], /- can be given once/],
      [['replay', file('x.jsonl', ''), '--config', join(folder, 'none.yaml')], /CONFIG_INVALID/],
      [['replay', file('x.jsonl', ''), '--dead-letter', join(folder, 'no', 'where')], /cannot be written/],
      [['nonsense'], /unknown command 'nonsense'/],
    ];
    for (const [args, message] of cases) {
      const run = await runCli(args);
      expect(run.stderr).toMatch(message);
      expect(run.stderr).not.toContain('    at ');
      expect(run.code).toBe(2);
    }
  });

  it('says where a gzip file ends too early, and keeps what it has said', async () => {
    const whole = gzipSync(lines(...settled('op-1', 'R1')));
    const run = await runCli([
      'replay',
      file('cut.gz', whole.subarray(0, whole.length - 12)),
      '--json',
      '--trust-gateway',
    ]);
    expect(run.stderr).toContain('the gzip stream ends too early');
    expect(run.code).not.toBe(0);
  });

  it('ends quietly when its reader is gone', async () => {
    const many = Array.from({ length: 3000 }, (_, number) => started(`op-${number}`, 0, `CAPTURE${number}`));
    const path = file('many.jsonl', lines(...many));
    const child = spawn(process.execPath, [...CLI, 'replay', path, '--json', '--trust-gateway'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
