/**
 * What judging costs: one evaluation against json-rules-engine, and `countersign replay` of a generated log. Markdown out.
 *
 *   npm run bench [-- --records 1000000 --seed 1 --log FILE --only evaluation|replay --json]
 *
 * The log is generated into a temporary folder and taken away, unless --log names where it is to stay.
 */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureEvaluation } from './core/evaluation.ts';
import { measureReplay, type ReplayCost } from './core/replay-run.ts';
import { writeLog } from './generate.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    log: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const count = (value: number): string => Math.round(value).toLocaleString('en');
const mebibytes = (bytes: number): string => count(bytes / 2 ** 20);
const met = (isMet: boolean): string => (isMet ? 'met' : '**missed**');

const replays = async (): Promise<ReplayCost[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    const file = values.log === undefined ? join(folder, 'log.jsonl') : resolve(values.log);
    const out = createWriteStream(file);
    const log = await writeLog(out, Number(values.records), Number(values.seed));
    out.end();
    await once(out, 'close');
    return [await measureReplay(file, log, ['--json']), await measureReplay(file, log, [])];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const replayRow = (cost: ReplayCost): string =>
  `| ${[
    cost.form,
    count(cost.records / cost.wallSeconds),
    count(cost.records / cost.cpuSeconds),
    mebibytes(cost.peakBytes),
    count(cost.bytesPerOperation),
    cost.earlyMicros.toFixed(1),
    cost.lateMicros.toFixed(1),
    (cost.lateMicros / cost.earlyMicros).toFixed(2),
  ].join(' | ')} |`;

const evaluation = values.only === 'replay' ? null : await measureEvaluation();
const replayed = values.only === 'evaluation' ? [] : await replays();
const machine = { node: process.versions.node, cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() };

if (values.json) console.log(JSON.stringify({ machine, evaluation, replay: replayed }));
else {
  console.log(`Node ${machine.node}, ${machine.cores} cores of ${machine.cpu}.\n`);
  if (evaluation !== null) {
    const { conditions, oursMicros, peerMicros } = evaluation;
    const ratio = peerMicros / oursMicros;
    console.log(`| one evaluation, ${conditions} conditions | CPU µs | times as fast |`);
    console.log('|---|---:|---:|');
    console.log(`| json-rules-engine | ${peerMicros.toFixed(1)} | 1 |`);
    console.log(`| countersign | ${oursMicros.toFixed(2)} | ${ratio.toFixed(1)} |`);
    console.log(`\nAim: at least 20 times as fast: ${met(ratio >= 20)}.\n`);
  }
  const [first] = replayed;
  if (first !== undefined) {
    console.log(`Replay of ${count(first.records)} records, ${count(first.operations)} operations.\n`);
    console.log(
      '| output | records/s | records/CPU s | peak MiB | bytes/operation | CPU µs/record, 10 % held | all held | ratio |',
    );
    console.log('|---|---:|---:|---:|---:|---:|---:|---:|');
    for (const cost of replayed) console.log(replayRow(cost));
    const isFast = replayed.some(({ records, cpuSeconds }) => records / cpuSeconds >= 40_000);
    const isSmall = replayed.every(({ bytesPerOperation }) => bytesPerOperation <= 2048);
    const isFlat = replayed.every(({ lateMicros, earlyMicros }) => lateMicros <= 1.2 * earlyMicros);
    console.log(
      `\nAims: 40,000 records a second on one core: ${met(isFast)}; 2 KiB an operation: ${met(isSmall)}; ` +
        `ten times the operations at 1.2 times the cost: ${met(isFlat)}.`,
    );
  }
}
