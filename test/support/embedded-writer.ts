// Appends one operation after another to the pipeline whose journal is at argv[2], until it is killed, and prints the number of
// each that was acknowledged.
import { EmbeddedPipeline } from '../../src/drivers/memory/embedded-pipeline.ts';
import { trustingDeps } from './batch-deps.ts';
import { started } from './paypal-log.ts';

const write = async (journal: string): Promise<void> => {
  const pipeline = await EmbeddedPipeline.open({
    deps: trustingDeps(),
    clock: { now: () => Date.parse('2026-09-01T12:00:00.000Z') },
    journal,
    onWarning: () => undefined,
  });
  for (let number = 0; ; number += 1) {
    const { value } = JSON.parse(started(`op-${number}`, 0, `CAPTURE${number}`)) as { value: object };
    await pipeline.append([{ topic: 'operation-started', value: JSON.stringify(value) }]);
    process.stdout.write(`${number}\n`);
  }
};

void write(process.argv[2] ?? '');
