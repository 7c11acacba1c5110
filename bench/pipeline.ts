/**
 * `countersign process` on real servers against a plain KafkaJS loop over the same records. Markdown out.
 *
 *   npm run bench:pipeline [-- --records 1000000 --partitions 4 --rate 2000 --seconds 20 --no-latency --no-stages --json]
 *
 * The servers are those of COUNTERSIGN_BROKERS, COUNTERSIGN_REDIS_URL and COUNTERSIGN_REGISTRY_URL, else servers of the run's
 * own. Each consumer works off all records: the first half while it warms up, the second warm.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Deployment, deploy } from './pipeline/deployment.ts';
import { type Latency, measureLatency } from './pipeline/latency.ts';
import { redisBytes } from './pipeline/redis-bytes.ts';
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
    'verdict-bytes': { type: 'string', default: '1500' },
    'no-latency': { type: 'boolean', default: false },
    'no-stages': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

interface Result {
  readonly cost: ConsumerCost;
  readonly latency: Latency | null;
  readonly redisBytesPerOperation: number | null;
}

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Produces the records to topics of their own, starts the consumer, measures it, and takes everything away. */
const measure = async (
  start: (deployment: Deployment, recordsPerOperation: number) => Promise<RunningConsumer>,
  hasState: boolean,
): Promise<Result> => {
  const deployment = await deploy(servers, Number(values.partitions));
  try {
    const { records, operations } = await deployment.produce(Number(values.records), 1);
    note(`${records} records of ${operations} operations produced to ${deployment.prefix}*`);
    const consumer = await start(deployment, records / operations);
    try {
      const cost = await measureThroughput(consumer, records);
      note(`${cost.name}: ${Math.round(cost.warm.recordsPerSecond)} records/s warm`);
      const latency = values['no-latency']
        ? null
        : await measureLatency(deployment, Number(values.rate), Number(values.seconds), 2);
      // After the steady part: what was still waiting to be published is out of Redis by now.
      const held = operations + (latency?.sent ?? 0);
      const redisBytesPerOperation = hasState ? (await redisBytes(deployment)) / held : null;
      return { cost, latency, redisBytesPerOperation };
    } finally {
      await consumer.stop();
    }
  } finally {
    await deployment.close();
  }
};

const measureStages = async (): Promise<[string, number][]> => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-profile-'));
  const deployment = await deploy(servers, Number(values.partitions));
  try {
    const { records } = await deployment.produce(Number(values.records), 1);
    const consumer = await startProcess(deployment, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
    try {
      await measureThroughput(consumer, records);
    } finally {
      await consumer.stop();
    }
    return stageShares(folder);
  } finally {
    await deployment.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const servers = await startServers();
process.once('SIGINT', () => void servers.stop().finally(() => process.exit(130)));

const measureAll = async (): Promise<{ loop: Result; ours: Result; stages: [string, number][] }> => {
  try {
    const loop = await measure(
      (deployment, recordsPerOperation) =>
        startPlainLoop(deployment, Number(values['verdict-bytes']), recordsPerOperation),
      false,
    );
    const ours = await measure((deployment) => startProcess(deployment), true);
    return { loop, ours, stages: values['no-stages'] ? [] : await measureStages() };
  } finally {
    await servers.stop();
  }
};

const { loop, ours, stages } = await measureAll();
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

if (values.json) console.log(JSON.stringify({ machine, loadAverage: loadavg()[0], loop, process: ours, stages }));
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
  const ratio = ours.cost.warm.recordsPerSecond / loop.cost.warm.recordsPerSecond;
  const bytes = ours.redisBytesPerOperation ?? Number.NaN;
  console.log(
    `\nAims: half of the loop's records a second: ${ratio.toFixed(2)}, ${met(ratio >= 0.5)}; 45 µs of client CPU a record: ` +
      `${met(ours.cost.warm.cpuMicros <= 45)}; 1.5 KiB of Redis an operation: ${count(bytes)} bytes, ${met(bytes <= 1536)}.`,
  );
  if (ours.latency !== null && loop.latency !== null) {
    const times = ours.latency.p99Ms / loop.latency.p99Ms;
    console.log(`p99 at most 1.5 times the loop's: ${times.toFixed(2)}, ${met(times <= 1.5)}.`);
  }
  if (stages.length > 0) {
    console.log('\n| where the time goes | share of the process |');
    console.log('|---|---:|');
    for (const [stage, share] of stages) console.log(`| ${stage} | ${(share * 100).toFixed(1)} % |`);
  }
}
