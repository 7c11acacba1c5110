/**
 * What each stage of `countersign process` costs without servers: one shard, records in the form that Kafka hands out, state kept
 * in the owner's cache, the arguments of each commit made and thrown away, the verdicts turned into the messages of a request.
 *
 *   npm run bench -- stages [--records 100000] [--batch 1000] [--json-verdicts]
 */
import { parseArgs } from 'node:util';
import { createAdmission } from '../src/consumers/admit.ts';
import { admitRecords } from '../src/consumers/admit-records.ts';
import { advanceOffsets, buildCommit } from '../src/consumers/commit.ts';
import { decodeRecords } from '../src/consumers/decode-records.ts';
import { loadStates } from '../src/consumers/load.ts';
import { reduceGroups } from '../src/consumers/reduce-groups.ts';
import { StateCache } from '../src/consumers/state-cache.ts';
import { loadContracts } from '../src/contracts/load.ts';
import { createAvroEncoder } from '../src/drivers/kafka/avro-encoder.ts';
import { verdictEncoder } from '../src/drivers/kafka/verdict-codec.ts';
import { verdictChunks } from '../src/drivers/kafka/verdict-messages.ts';
import { commitArguments } from '../src/drivers/redis/commit-arguments.ts';
import { keysOf } from '../src/drivers/redis/keys.ts';
import { claimAfter } from '../src/drivers/shard-commit.ts';
import { reducePayment } from '../src/evaluator/reduce.ts';
import type { ConsumedRecord } from '../src/ports/consumed-record.ts';
import { jsonEncoder } from '../src/ports/record-encoder.ts';
import type { ShardClaim } from '../src/ports/shard-store.ts';
import { RECORD_KINDS } from '../src/records/avro-schemas.ts';
import { generateRecords } from './load/generate-records.ts';
import { RequestEncoder } from './stages/request-encoder.ts';
import { StageClock } from './stages/stage-clock.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    batch: { type: 'string', default: '1000' },
    'json-verdicts': { type: 'boolean', default: false },
  },
});
const total = Number(values.records);
const size = Number(values.batch);

const offsets = new Map<string, number>();
const consumed = ({
  topic,
  key,
  value,
  at,
}: {
  topic: string;
  key: string;
  value: string;
  at: number;
}): ConsumedRecord => {
  const offset = offsets.get(topic) ?? 0;
  offsets.set(topic, offset + 1);
  const [keyBytes, valueBytes] = [Buffer.from(key), Buffer.from(value)];
  return { topic, partition: 0, offset: String(offset), timestamp: at, key: keyBytes, value: valueBytes, headers: {} };
};

const contracts = loadContracts();
const admission = createAdmission({ contracts, endpoints: [], testMode: false, trustGateway: true });
const ids = Object.fromEntries(RECORD_KINDS.map((kind, index) => [kind, index + 1])) as Parameters<
  typeof createAvroEncoder
>[0];
const encode = verdictEncoder(values['json-verdicts'] ? jsonEncoder : createAvroEncoder(ids));
const keys = keysOf('bench').shard(0);
const cache = new StateCache({ entries: 50_000, chars: 67_108_864 });
const empty = { load: async (_shard: number, names: readonly string[]) => names.map(() => null) };
const decode = { schemas: null, maxBytes: 1_048_576, checkSeal: () => null };
const clock = new StageClock();
const requests = new RequestEncoder();

let claim: ShardClaim = { shard: 0, token: '1:bench', sequence: 0, applied: {}, nextVerdict: 1 };
let now = 0;
let [done, verdicts, states, stateChars, verdictChars] = [0, 0, 0, 0, 0];

const runBatch = async (records: readonly ConsumedRecord[]): Promise<void> => {
  clock.start();
  const decoded = await decodeRecords(records, decode);
  clock.ends('decode');
  const reach = ({ timestamp }: { timestamp: number | null }): number => {
    now = Math.max(now, timestamp ?? 0);
    return now;
  };
  const admitted = admitRecords({ contracts, admission, reduce: reducePayment }, decoded, { reach, partitionOf: null });
  clock.ends('admit');
  const groups = admitted.groups.list();
  const held = await loadStates(
    empty,
    0,
    cache,
    groups.map(({ key }) => key),
    now,
  );
  const { payments } = reduceGroups(reducePayment, contracts, groups, held, now);
  clock.ends('reduce');
  const applied = advanceOffsets(claim.applied, records);
  const { commit, written } = buildCommit(claim, payments, applied, now, () => null);
  clock.ends('encode');
  commitArguments(keys, commit);
  for (const { paymentKey, state, expiresAt, chars } of written) cache.set(paymentKey, state, expiresAt, chars);
  claim = claimAfter(commit);
  clock.ends('commit');
  const first = commit.claim.nextVerdict;
  const pending = commit.verdicts.map((verdict, index) => ({ ...verdict, sequence: first + index }));
  for (const chunk of await verdictChunks(pending, 0, encode)) await requests.encode(chunk);
  clock.ends('publish');
  done += records.length;
  verdicts += pending.length;
  states += written.length;
  for (const { chars } of written) stateChars += chars;
  for (const { value } of pending) verdictChars += value.length;
};

let batch: ConsumedRecord[] = [];
for (const record of generateRecords({ records: total, seed: 1 })) {
  batch.push(consumed(record));
  if (batch.length < size) continue;
  await runBatch(batch);
  batch = [];
  if (done >= total / 2) clock.warm(done);
}
await runBatch(batch);

console.log(
  `${done.toLocaleString('en')} records in batches of ${size}; Node ${process.versions.node}. Warm half, CPU µs a record:\n`,
);
console.log('| stage | CPU µs/record | share |');
console.log('|---|---:|---:|');
for (const { stage, micros, share } of clock.shares(done))
  console.log(`| ${stage} | ${micros.toFixed(1)} | ${(share * 100).toFixed(0)} % |`);
console.log(
  `\n${(verdicts / done).toFixed(2)} verdicts of ${Math.round(verdictChars / verdicts)} characters and ` +
    `${(states / done).toFixed(2)} states of ${Math.round(stateChars / states)} characters a record.`,
);
