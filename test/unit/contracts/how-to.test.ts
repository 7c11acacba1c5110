import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runContracts } from '../../support/run-contracts.ts';

const PAGE = fileURLToPath(new URL('../../../docs/contracts.md', import.meta.url));

it('docs/contracts.md: its contract lints clean and its stories pass', () => {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/`my-contracts\/([^`]+\.yaml)`[^`]*```yaml\n([\s\S]*?)```/g)];
  expect(blocks.map(([, name]) => name)).toEqual([
    'acme.refund.sent/1.0.0.yaml',
    'acme.refund.sent/cases/settled.yaml',
    'acme.refund.sent/cases/too-little.yaml',
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'how-to-'));
  try {
    for (const [, name = '', text = ''] of blocks) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    expect(runContracts('lint', folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 errors, 0 warnings'),
    });
    expect(runContracts('test', folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 passed, 0 failed'),
    });
    expect(runContracts('lint', folder, '--update-lock')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('locked acme.refund.sent@1.0.0'),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
