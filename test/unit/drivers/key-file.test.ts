import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readKeyFile, watchKeyFile } from '../../../src/drivers/files/key-file.ts';
import { writeKeyFiles } from '../../../src/drivers/files/write-key-file.ts';
import { testKey } from '../../support/receipts.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-key-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, two] = [testKey('one'), testKey('two')];

test('a key file that has changed is read again, and one that is broken is told of while the keys before stay', async () => {
  const [path, clock, warnings] = [join(folder, 'keys.json'), { ms: 0 }, [] as string[]];
  await writeKeyFiles(path, join(folder, 'public.json'), [one]);
  const keys = await watchKeyFile(path, { now: () => clock.ms }, (message) => warnings.push(message));
  const kids = async (): Promise<string[]> => (await keys()).keys.map(({ record }) => record.kid);
  await writeKeyFiles(path, join(folder, 'public.json'), [one, two]);
  expect(await kids()).toEqual(['one']);
  clock.ms += 5_000;
  expect(await kids()).toEqual(['one', 'two']);
  expect(warnings).toEqual([]);
  writeFileSync(path, `{"keys":[{"d":"${one.d}`);
  clock.ms += 5_000;
  expect(await kids()).toEqual(['one', 'two']);
  expect(warnings).toMatchObject([expect.stringContaining('the keys read before stay in use')]);
  expect(warnings.join()).not.toContain(one.d);
});

test('a key file that others may read is warned of', async () => {
  const [path, warnings] = [join(folder, 'open.json'), [] as string[]];
  await writeKeyFiles(path, join(folder, 'open.public.json'), [one]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o640);
  await watchKeyFile(path, { now: () => 0 }, (message) => warnings.push(message));
  expect(warnings).toMatchObject([expect.stringContaining('its mode should be 0600')]);
});

test('a key file that is not there is an error of the configuration that names it', () => {
  expect(() => readKeyFile(join(folder, 'none.json'))).toThrow(/receipts\.keys: cannot read the key set .*none\.json/);
});
