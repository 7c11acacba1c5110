import type { Admin } from 'kafkajs';
import type { Config } from '../../config/schema.ts';
import { writersOf } from '../../drivers/kafka/acls.ts';
import { probeBrokerClock } from '../../drivers/kafka/broker-clock.ts';
import { inputRetentionMs, type TopicSpec, topicSpecs } from '../../drivers/kafka/topic-specs.ts';
import { checkTopics, partitionCounts } from '../../drivers/kafka/topics.ts';
import type { Contract } from '../../evaluator/index.ts';
import type { KafkaEdge } from '../roles/kafka-edge.ts';
import { type Check, checksOf } from './check.ts';
import { checkClock } from './clock-checks.ts';
import { checkWriters } from './permission-checks.ts';

const kafka = checksOf('kafka');
const topics = checksOf('topics');

const checkCluster = async (admin: Admin, config: Config): Promise<Check[]> => {
  const { brokers } = await admin.describeCluster();
  const names = brokers.map(({ host, port }) => `${host}:${port}`).join(', ');
  const enough =
    brokers.length >= 3
      ? kafka.ok(`${brokers.length} brokers: ${names}`)
      : kafka.warn(
          `${brokers.length} broker(s): ${names}`,
          'Run three, with min.insync.replicas=2: one that dies takes its records along.',
        );
  const { groups } = await admin.describeGroups([config.kafka.group]);
  const group = groups[0];
  const members = group?.members.length ?? 0;
  const running =
    members > 0
      ? kafka.ok(`group ${config.kafka.group} is ${group?.state}, with ${members} member(s)`)
      : kafka.warn(
          `group ${config.kafka.group} has no member`,
          'Start `countersign process`: nothing is judged until then.',
        );
  return [enough, running];
};

const ADVICE: Readonly<Record<string, string>> = {
  exists: '`countersign topics create` makes it.',
  partitions:
    'All input topics and verdicts must have as many: more is a `countersign rebuild --into` under new prefixes.',
  'retention.ms': 'Raise retention.ms: records must outlive every operation that needs them.',
  'cleanup.policy': 'Change cleanup.policy.',
  'max.message.bytes': 'Raise max.message.bytes: a dead letter that does not fit loses its bytes.',
};

const checkSpecs = async (admin: Admin, specs: readonly TopicSpec[]): Promise<Check[]> => {
  const differences = await checkTopics(admin, specs);
  const counts = await partitionCounts(
    admin,
    specs.map(({ name }) => name),
  );
  return specs.flatMap(({ name }) => {
    const found = differences.filter(({ topic }) => topic === name);
    if (found.length === 0)
      return [topics.ok(`${name}: ${counts.get(name)} partitions, retention and policy as they should be`)];
    return found.map(({ what, is, shouldBe }) =>
      topics.fail(`${name}: ${what} is ${is}, should be ${shouldBe}`, ADVICE[what] ?? `Change ${what}.`),
    );
  });
};

const checkPermissions = async (admin: Admin, specs: readonly TopicSpec[], config: Config): Promise<Check[]> => {
  const { topic_prefix: prefix, sasl } = config.kafka;
  const writers = new Map<string, readonly string[]>();
  for (const { name, role } of specs) {
    if (role === 'dead-letter') continue;
    const found = await writersOf(admin, name);
    if (found === null) return checkWriters(null, null);
    writers.set(name.slice(prefix.length), found);
  }
  const user = sasl?.username ?? sasl?.client_id;
  return checkWriters(writers, user === undefined ? null : `User:${user}`);
};

/** The cluster, its topics, who may write to them, and its clock. Throws BROKER_UNAVAILABLE. */
export const checkKafka = async (
  { admin, kafka: client }: KafkaEdge,
  config: Config,
  contracts: readonly Contract[],
  probe: boolean,
): Promise<Check[]> => {
  const { topic_prefix: prefix, partitions, replication } = config.kafka;
  const { keys, retention_ms: receiptsRetentionMs } = config.receipts;
  const specs = topicSpecs({
    prefix,
    partitions,
    replication,
    retentionMs: inputRetentionMs(contracts),
    ...(keys === undefined ? {} : { receiptsRetentionMs }),
  });
  const clock = checksOf('clock');
  const checks = [
    ...(await checkCluster(admin, config)),
    ...(await checkSpecs(admin, specs)),
    ...(await checkPermissions(admin, specs, config)),
  ];
  if (!probe) return [...checks, clock.ok('the brokers’ clock is not asked; --probe does, with a topic of its own')];
  const { time, askedAt, answeredAt } = await probeBrokerClock(client, admin, `${prefix}doctor-${askedName()}`);
  return [...checks, checkClock('Kafka', time, askedAt, answeredAt)];
};

const askedName = (): string => Math.random().toString(36).slice(2, 10);
