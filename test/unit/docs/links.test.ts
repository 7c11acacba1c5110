import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const pages = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((name) => name !== '' && existsSync(join(ROOT, name)));

test.each(pages)('%s links to files that are there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
  const local = targets
    .filter((target) => !/^(https?:|mailto:|#)/.test(target))
    .map((target) => target.split('#')[0] ?? '');
  expect(local.filter((target) => !existsSync(resolve(ROOT, dirname(page), target)))).toEqual([]);
});

test('each guarantee in the README and the architecture page names the test that holds it', () => {
  for (const page of ['README.md', 'docs/architecture.md']) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const section =
      /\n## What (?:it guarantees|holds, and where it is tested)\n([\s\S]*?)(?=\n## |\nDecisions |\n\[docs)/.exec(
        text,
      )?.[1] ?? '';
    const claims = section.split(/\n(?=\d+\. )/).filter((claim) => /^\d+\. /.test(claim.trim()));
    expect(claims.length, page).toBeGreaterThan(3);
    for (const claim of claims) expect(claim, `${page}: ${claim.slice(0, 60)}`).toMatch(/\]\((\.\.\/)?test\/[^)]+\)/);
  }
});
