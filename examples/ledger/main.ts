import { SchemaCache, systemClock } from 'countersign';
import { Kafka } from 'kafkajs';
import { LedgerFile } from './ledger-file.ts';
import { readVerdicts } from './read-verdicts.ts';

const {
  BROKERS = '127.0.0.1:19094',
  TOPIC_PREFIX = '',
  GROUP = 'ledger',
  LEDGER = 'ledger.json',
  REGISTRY,
} = process.env;

const kafka = new Kafka({ clientId: 'ledger', brokers: BROKERS.split(',') });
// read_committed: what a transaction took back was never said.
const consumer = kafka.consumer({ groupId: GROUP, readUncommitted: false });
const schemas =
  REGISTRY === undefined
    ? null
    : new SchemaCache({ url: REGISTRY, timeout_ms: 5_000, unknown_schema_ttl_ms: 60_000 }, systemClock);
const ledger = new LedgerFile(LEDGER);

consumer.on(consumer.events.CRASH, ({ payload }) => {
  process.stderr.write(`${payload.error.message}\n`);
  if (!payload.restart) process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void consumer.disconnect());

await readVerdicts(consumer, `${TOPIC_PREFIX}verdicts`, schemas, (verdicts) => {
  const before = ledger.postings.length;
  ledger.apply(verdicts);
  for (const posting of ledger.postings.slice(before)) process.stdout.write(`${JSON.stringify(posting)}\n`);
});
