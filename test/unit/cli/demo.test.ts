import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { printDay } from '../../../scripts/day/day.ts';
import { runCli } from '../../support/run-cli.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('countersign demo', () => {
  it('plays the day, tells every verdict with its reason, and how to look further with a command that works', async () => {
    const run = await runCli(['demo'], { cwd: root });
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/paypal-doubled .* CONTRADICTED +duplicate_refund_present \(duplicate_side_effect\)/);
    expect(run.stdout).toMatch(/square-settled-1 .* VERIFIED +all_conditions_hold/);
    expect(run.stdout).toMatch(/stripe-lost-response .* UNVERIFIABLE/);
    expect(run.stdout).toContain('dead letters: SIGNATURE_INVALID 4');
    const command = / explain (.*)$/m.exec(run.stdout)?.[1]?.split(' ') ?? [];
    const explained = await runCli(['explain', ...command], { cwd: root });
    expect(explained.code).toBe(0);
    expect(explained.stdout).toContain('CONTRADICTED (duplicate_side_effect)');
  });

  it('says the same as replay of the same day', async () => {
    const files = ['examples/day/records.jsonl.gz', '--config', 'examples/day/secrets.yaml'];
    const played = await runCli(['demo', '--json'], { cwd: root });
    const replayed = await runCli(['replay', ...files, '--json', '--until', '2026-11-16T20:00:00Z'], { cwd: root });
    const said = (stdout: string): string[] =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .map(({ verdict_id, verdict, reason, decided_at }) => `${verdict_id} ${verdict} ${reason} ${decided_at}`);
    expect(said(played.stdout)).toEqual(said(replayed.stdout));
    expect(replayed.code).toBe(3);
  });

  it('has a day that its script makes again, byte for byte', () => {
    const { records, files } = printDay();
    const held = (name: string): Buffer => readFileSync(join(root, 'examples', 'day', name));
    expect(gunzipSync(held('records.jsonl.gz')).toString()).toBe(records);
    for (const [name, text] of Object.entries(files)) expect(held(name).toString()).toBe(text);
  });
});

describe('bin/countersign', () => {
  it('says what to run where it is not built', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-bin-'));
    try {
      mkdirSync(join(folder, 'bin'));
      copyFileSync(join(root, 'bin', 'countersign'), join(folder, 'bin', 'countersign.mjs'));
      const run = spawnSync(process.execPath, [join(folder, 'bin', 'countersign.mjs')], { encoding: 'utf8' });
      expect(run.stderr).toContain('npm run setup');
      expect(run.status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('answers --help and --version with 0, and nothing at all with its help', async () => {
    const help = await runCli(['--help']);
    expect(help.code).toBe(0);
    for (const command of ['demo', 'replay', 'explain', 'contracts']) expect(help.stdout).toContain(command);
    const version = await runCli(['--version']);
    expect([version.code, version.stdout.trim()]).toEqual([
      0,
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    ]);
  });
});
