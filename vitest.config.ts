import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The examples import the package by its name: here it is the sources, whether or not there is a build. */
const resolve = { alias: { countersign: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } };

/** One project a kind of test; `scripts/test.mjs` chooses. `npx vitest run <file>` finds a file in any of them. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        test: {
          name: 'pure',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/long/**', 'test/vectors/**', '**/node_modules/**'],
          pool: 'threads',
          // Nothing else runs beside them; the runner would leave a core idle.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          setupFiles: ['test/support/drawn-from.ts'],
          testTimeout: 30_000,
        },
      },
      {
        resolve,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          setupFiles: ['test/support/drawn-from.ts', 'test/integration/environment.ts'],
          pool: 'forks',
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          setupFiles: ['test/integration/environment.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
        },
      },
      { test: { name: 'vectors', include: ['test/vectors/**/*.test.ts'], pool: 'threads', testTimeout: 30_000 } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/evaluator/**', 'src/records/**'],
      thresholds: { 100: true },
      reporter: ['text-summary', 'html'],
    },
  },
});
