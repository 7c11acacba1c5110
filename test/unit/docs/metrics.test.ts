import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/observability/metrics.ts';

const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');

test('docs/reference/metrics.md lists the metrics that a role serves, with their types and labels', async () => {
  const documented = [...page.matchAll(/^\| `(countersign_\w+)` \| (\w+) \|([^|]*)\|/gm)].map(
    ([, name, type, labels]) => ({
      name,
      type,
      labels: [...(labels ?? '').matchAll(/`(\w+)`/g)].map(([, label]) => label),
    }),
  );
  const { registry: _registry, ...metrics } = createMetrics();
  const served = await Promise.all(
    Object.values(metrics).map(async (metric) => {
      const { name, type } = await metric.get();
      const { labelNames } = metric as unknown as { labelNames: string[] };
      return { name, type: String(type), labels: labelNames };
    }),
  );
  expect(documented).toEqual(served);
});
