/**
 * `countersign process` on real servers against a plain KafkaJS loop over the same records. Markdown out.
 *
 *   npm run bench:pipeline [-- --records 1000000 --partitions 4 --rate 2000 --seconds 20 --held 1000000 --no-latency --no-stages --json]
 *
 * The servers are those of COUNTERSIGN_BROKERS, COUNTERSIGN_REDIS_URL and COUNTERSIGN_REGISTRY_URL, else servers of the run's
 * own. Each consumer works off all records: the first half while it warms up, the second warm. `--held N`: `process` does it once
 * more with N operations held from before. The plain loop's verdicts are as large as ours are in Avro.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Deployment, deploy } from './pipeline/deployment.ts';
import { type Latency, measureLatency } from './pipeline/latency.ts';
import { type RedisBytes, redisBytes } from './pipeline/redis-bytes.ts';
import { type RunningConsumer, startPlainLoop, startProcess } from './pipeline/running-consumer.ts';
import { startServers } from './pipeline/servers.ts';
import { stageShares } from './pipeline/stages.ts';
import { type ConsumerCost, measureThroughput } from './pipeline/throughput.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    partitions: { type: 'string', default: '4' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '20' },
    'verdict-bytes': { type: 'string', default: '2700' },
    held: { type: 'string', default: '0' },
    'no-latency': { type: 'boolean', default: false },
    'no-stages': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

interface Result {
  readonly cost: ConsumerCost;
  readonly latency: Latency | null;
  readonly redisBytesPerOperation: Readonly<Record<string, number>> | null;
}

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Of the load, a little less than it has: at least so many operations are held. */
const RECORDS_AN_OPERATION = 4.4;

const perOperation = (bytes: RedisBytes, operations: number): Record<string, number> =>
  Object.fromEntries(Object.entries(bytes).map(([kind, all]) => [kind, all / operations]));

/** The same consumer, counted from now on. */
const fromHere = async (consumer: RunningConsumer, held: number): Promise<RunningConsumer> => {
  const [records, seconds] = [await consumer.consumed(), consumer.cpuSeconds()];
  return {
    ...consumer,
    name: `${consumer.name}, ${held.toLocaleString('en')} operations held`,
    consumed: async () => (await consumer.consumed()) - records,
    cpuSeconds: () => consumer.cpuSeconds() - seconds,
  };
};

/** Produces the records to topics of their own, starts the consumer, measures it, and takes everything away. */
const measure = async (
  start: (deployment: Deployment, recordsPerOperation: number) => Promise<RunningConsumer>,
  hasState: boolean,
  heldBefore = 0,
): Promise<Result> => {
  const deployment = await deploy(servers, Number(values.partitions));
  try {
    const before = heldBefore === 0 ? null : await deployment.produce(heldBefore * RECORDS_AN_OPERATION, 3);
    const started = before === null ? null : await start(deployment, before.records / before.operations);
    if (started !== null && before !== null) await measureThroughput(started, before.records);
    const { records, operations } = await deployment.produce(Number(values.records), 1);
    note(`${records} records of ${operations} operations produced to ${deployment.prefix}*`);
    const consumer =
      started === null
        ? await start(deployment, records / operations)
        : await fromHere(started, before?.operations ?? 0);
    try {
      const cost = await measureThroughput(consumer, records);
      note(`${cost.name}: ${Math.round(cost.warm.recordsPerSecond)} records/s warm`);
      const latency = values['no-latency']
        ? null
        : await measureLatency(deployment, Number(values.rate), Number(values.seconds), 2);
      // After the steady part: what was still waiting to be published is out of Redis by now.
      const held = operations + (before?.operations ?? 0) + (latency?.sent ?? 0);
      const redisBytesPerOperation = hasState ? perOperation(await redisBytes(deployment), held) : null;
      return { cost, latency, redisBytesPerOperation };
    } finally {
      await consumer.stop();
    }
  } finally {
    await deployment.close();
  }
};

/** Microseconds of a record by stage, from a profile of all of it. */
const measureStages = async (): Promise<[string, number][]> => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-profile-'));
  const deployment = await deploy(servers, Number(values.partitions));
  try {
    const { records } = await deployment.produce(Number(values.records), 1);
    let micros = 0;
    const consumer = await startProcess(deployment, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
    try {
      const { cold, warm } = await measureThroughput(consumer, records);
      micros = (cold.cpuMicros + warm.cpuMicros) / 2;
    } finally {
      await consumer.stop();
    }
    return stageShares(folder).map(([stage, share]) => [stage, share * micros]);
  } finally {
    await deployment.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const servers = await startServers();
process.once('SIGINT', () => void servers.stop().finally(() => process.exit(130)));

const measureAll = async (): Promise<{
  loop: Result;
  ours: Result;
  laden: Result | null;
  stages: [string, number][];
}> => {
  try {
    const loop = await measure(
      (deployment, recordsPerOperation) =>
        startPlainLoop(deployment, Number(values['verdict-bytes']), recordsPerOperation),
      false,
    );
    const ours = await measure((deployment) => startProcess(deployment), true);
    const laden =
      Number(values.held) === 0
        ? null
        : await measure((deployment) => startProcess(deployment), true, Number(values.held));
    return { loop, ours, laden, stages: values['no-stages'] ? [] : await measureStages() };
  } finally {
    await servers.stop();
  }
};

const { loop, ours, laden, stages } = await measureAll();
const machine = { node: process.versions.node, cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() };

const count = (value: number): string => Math.round(value).toLocaleString('en');
const met = (isMet: boolean): string => (isMet ? 'met' : '**missed**');
const row = ({ cost, latency }: Result): string =>
  `| ${[
    cost.name,
    count(cost.cold.recordsPerSecond),
    count(cost.warm.recordsPerSecond),
    cost.cold.cpuMicros.toFixed(1),
    cost.warm.cpuMicros.toFixed(1),
    count(cost.peakBytes / 2 ** 20),
    latency === null ? '' : count(latency.p50Ms),
    latency === null ? '' : `${count(latency.p99Ms)} (${latency.answered}/${latency.sent})`,
  ].join(' | ')} |`;

if (values.json)
  console.log(JSON.stringify({ machine, loadAverage: loadavg()[0], loop, process: ours, laden, stages }));
else {
  console.log(
    `${count(Number(values.records))} records on ${values.partitions} partitions; Node ${machine.node}, ${machine.cores} cores of ` +
      `${machine.cpu}, load average at the end ${loadavg()[0]?.toFixed(1)}.\n`,
  );
  console.log(
    '| consumer | records/s, cold | warm | CPU µs/record, cold | warm | peak MiB | webhook to verdict p50 ms | p99 ms (answered) |',
  );
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|');
  console.log(row(loop));
  console.log(row(ours));
  if (laden !== null) console.log(row(laden));
  const ratio = ours.cost.warm.recordsPerSecond / loop.cost.warm.recordsPerSecond;
  const kinds = Object.entries(ours.redisBytesPerOperation ?? {});
  const bytes = kinds.reduce((sum, [, one]) => sum + one, 0);
  console.log(
    `\nAims: half of the loop's records a second: ${ratio.toFixed(2)}, ${met(ratio >= 0.5)}; 45 µs of client CPU a record: ` +
      `${met(ours.cost.warm.cpuMicros <= 45)}; 1.5 KiB of Redis an operation: ${count(bytes)} bytes ` +
      `(${kinds.map(([kind, one]) => `${kind} ${count(one)}`).join(', ')}), ${met(bytes <= 1536)}.`,
  );
  if (ours.latency !== null && loop.latency !== null) {
    const times = ours.latency.p99Ms / loop.latency.p99Ms;
    console.log(`p99 at most 1.5 times the loop's: ${times.toFixed(2)}, ${met(times <= 1.5)}.`);
  }
  if (laden !== null) {
    const slower = laden.cost.warm.cpuMicros / ours.cost.warm.cpuMicros;
    console.log(
      `CPU of a record with ${values.held} operations held, at most 1.1 times: ${slower.toFixed(2)}, ${met(slower <= 1.1)}.`,
    );
  }
  if (stages.length > 0) {
    const all = stages.reduce((sum, [, micros]) => sum + micros, 0);
    console.log('\n| where the time goes | CPU µs/record | share |');
    console.log('|---|---:|---:|');
    for (const [stage, micros] of stages)
      console.log(`| ${stage} | ${micros.toFixed(1)} | ${((micros / all) * 100).toFixed(1)} % |`);
  }
}
