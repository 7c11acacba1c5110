import { auditChains, KeySet, verifyLines } from '../src/receipts/index.ts';
import { printJson } from '../src/records/json-text.ts';
import { linesOf, sealerWith, TestShard, testKey, verdictOf } from '../test/support/receipts.ts';

/** What a receipt costs in CPU: sealing in batches, verifying, auditing. `npm run bench -- receipts` */
const COUNT = 4_000;

const measured = async <T>(name: string, count: number, run: () => Promise<T>): Promise<T> => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  const [cpu, wall] = [(user + system) / count, ((performance.now() - startedAt) * 1_000) / count];
  process.stdout.write(
    `${name.padEnd(36)} ${cpu.toFixed(0).padStart(5)} µs of CPU, ${wall.toFixed(0).padStart(5)} µs\n`,
  );
  return result;
};

const key = testKey('bench');
const verdicts = Array.from({ length: COUNT }, (_, index) => verdictOf(`op-${index}`, 1));
const sealed = async (batch: number): Promise<string[]> => {
  const shard = new TestShard(sealerWith(key));
  const { state } = shard;
  const jws: string[] = [];
  for (let from = 0; from < COUNT; from += batch) {
    // Each batch is other payments'.
    shard.state = state;
    jws.push(...(await shard.publish(verdicts.slice(from, from + batch))).jws);
  }
  return jws;
};

await sealed(500);
process.stdout.write(`a verdict of ${printJson(verdicts[0] as never).length} characters\n`);
await measured('printed and read, not sealed', COUNT, async () =>
  verdicts.map((verdict) => JSON.parse(printJson(verdict as never)) as unknown),
);
await measured('printed, sealed and read, one by one', COUNT, () => sealed(1));
const jws = await measured('printed, sealed and read, by 500', COUNT, () => sealed(500));
const { receipts } = await measured('verified', COUNT, () =>
  verifyLines(linesOf(jws), new KeySet([key]), { isPartial: false, allowsUnsealed: false }),
);
await measured('audited, once verified', COUNT, async () => auditChains(receipts, [], false));
