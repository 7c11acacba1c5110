import { expect, test } from 'vitest';
import { configReference } from '../../../src/config/reference.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { settingsOf } from '../../../src/config/settings.ts';

test('docs/reference/config.md says what the schema says', async () => {
  await expect(configReference()).toMatchFileSnapshot('../../../docs/reference/config.md');
});

test('each key has its own variable, named after the project', () => {
  const names = settingsOf(configSchema).map(({ env }) => env);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^COUNTERSIGN_[A-Z0-9_]+$/.test(name))).toEqual([]);
});
