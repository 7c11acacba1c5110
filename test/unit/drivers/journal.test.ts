import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal } from '../../../src/drivers/memory/journal.ts';
import { frameEntry } from '../../../src/drivers/memory/journal-frame.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-journal-'));
  path = join(folder, 'journal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openJournal = async (): Promise<{ journal: Journal; entries: string[]; warnings: string[] }> => {
  const entries: string[] = [];
  const warnings: string[] = [];
  const journal = await Journal.open(path, {
    onEntry: (payload) => void entries.push(payload),
    onWarning: (message) => warnings.push(message),
  });
  return { journal, entries, warnings };
};

const written = async (...payloads: string[]): Promise<Buffer> => {
  const { journal } = await openJournal();
  await journal.append(payloads);
  await journal.close();
  return readFileSync(path);
};

describe('a journal', () => {
  it('gives back what was appended, in order, after it is opened again', async () => {
    const { journal } = await openJournal();
    await Promise.all([journal.append(['one', 'zwei ✓']), journal.append(['{"three":3}'])]);
    await journal.close();
    const again = await openJournal();
    expect(again.entries).toEqual(['one', 'zwei ✓', '{"three":3}']);
    expect(again.warnings).toEqual([]);
    await again.journal.close();
  });

  it('whose last write was cut off anywhere drops that entry with a warning, and goes on', async () => {
    const whole = await written('first', 'second');
    const keep = whole.length - frameEntry('second').length;
    for (let length = keep + 1; length < whole.length; length += 1) {
      writeFileSync(path, whole.subarray(0, length));
      const torn = await openJournal();
      expect(torn.entries).toEqual(['first']);
      expect(torn.warnings).toHaveLength(1);
      expect(torn.warnings[0]).toContain(`${length - keep} bytes from byte ${keep}`);
      expect(torn.journal.recovery).toEqual({ entries: 1, tornBytes: length - keep });
      await torn.journal.append(['third']);
      await torn.journal.close();
      const after = await openJournal();
      expect(after.entries).toEqual(['first', 'third']);
      expect(after.warnings).toEqual([]);
      await after.journal.close();
    }
  });

  it('with damage before its end is an error that names the offset', async () => {
    const whole = await written('first', 'second', 'third');
    const offset = whole.indexOf('second') - 18;
    for (const at of [offset, offset + 3, offset + 10, offset + 20]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      await expect(openJournal()).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT', context: { offset } });
      expect(readFileSync(path).equals(damaged)).toBe(true);
    }
  });

  it('that is another file is left alone', async () => {
    writeFileSync(path, 'something of mine\n');
    await expect(openJournal()).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(readFileSync(path, 'utf8')).toBe('something of mine\n');
  });

  it('cut off in its first line holds nothing and can be used', async () => {
    await written('x');
    truncateSync(path, 5);
    const { journal, entries, warnings } = await openJournal();
    expect(entries).toEqual([]);
    expect(warnings).toHaveLength(1);
    await journal.append(['y']);
    await journal.close();
    const again = await openJournal();
    expect(again.entries).toEqual(['y']);
    await again.journal.close();
  });

  it('is one process’s at a time', async () => {
    const { journal } = await openJournal();
    await expect(openJournal()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await journal.close();
    const again = await openJournal();
    await again.journal.close();
  });

  it('that a dead process had locked is taken', async () => {
    await written('x');
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(`${path}.lock`, `${child.pid}\n`);
    const { journal, entries } = await openJournal();
    expect(entries).toEqual(['x']);
    await journal.close();
  });

  it('holds every acknowledged entry after kill -9 in the middle of a write', async () => {
    const writer = fileURLToPath(new URL('../../support/journal-writer.ts', import.meta.url));
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, ['--import', 'tsx', writer, path, String(round)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let acknowledged = -1;
      child.stdout.on('data', (text: Buffer) => {
        const numbers = text.toString().trim().split('\n').map(Number);
        acknowledged = numbers.at(-1) ?? acknowledged;
        if (acknowledged >= 20 + round * 7) child.kill('SIGKILL');
      });
      await once(child, 'close');
      expect(child.signalCode).toBe('SIGKILL');
      const { journal, entries } = await openJournal();
      const ofRound = entries.filter((entry) => entry.startsWith(`${round}:`));
      expect(ofRound.length).toBeGreaterThan(acknowledged);
      expect(ofRound.map((entry) => Number(entry.split(':')[1]))).toEqual(ofRound.map((_, index) => index));
      await journal.close();
    }
  });
});
