import kafkajs, { type Admin } from 'kafkajs';
import { brokerUnavailable } from './broker-error.ts';
import { makeTopics } from './make-topics.ts';
import type { TopicSpec } from './topic-specs.ts';

/** What is there is not what should be. */
export interface TopicDifference {
  readonly topic: string;
  /** `exists`, `partitions` or the name of a topic setting */
  readonly what: string;
  readonly is: string;
  readonly shouldBe: string;
}

export interface CreatedTopics {
  readonly created: readonly string[];
  readonly existing: readonly string[];
  /** the copies that were made; fewer than asked where the cluster has fewer brokers */
  readonly replication: number;
}

const CHECKED = ['cleanup.policy', 'retention.ms', 'max.message.bytes'];

/** Creates those of the topics that are missing; what exists is left as it is ({@link checkTopics} says what is wrong with it). */
export const createTopics = async (admin: Admin, specs: readonly TopicSpec[]): Promise<CreatedTopics> => {
  try {
    const existing = new Set(await admin.listTopics());
    const { brokers } = await admin.describeCluster();
    const missing = specs.filter(({ name }) => !existing.has(name));
    const replication = Math.min(brokers.length, ...specs.map((spec) => spec.replication));
    if (missing.length > 0) {
      await makeTopics(
        admin,
        missing.map(({ name, partitions, config }) => ({
          topic: name,
          numPartitions: partitions,
          replicationFactor: replication,
          configEntries: Object.entries(config)
            .filter(([setting]) => setting !== 'min.insync.replicas' || replication >= 3)
            .map(([setting, value]) => ({ name: setting, value })),
        })),
      );
    }
    return {
      created: missing.map(({ name }) => name),
      existing: specs.map(({ name }) => name).filter((name) => existing.has(name)),
      replication,
    };
  } catch (cause) {
    throw brokerUnavailable('creating topics', cause);
  }
};

const settingDifference = (spec: TopicSpec, setting: string, is: string): string | null => {
  const wanted = spec.config[setting];
  if (wanted === undefined) return null;
  if (setting === 'retention.ms') {
    if (is === '-1') return null;
    if (wanted === '-1') return '-1, which keeps them for ever';
    return Number(is) >= Number(wanted) ? null : `at least ${wanted}`;
  }
  if (setting === 'max.message.bytes') {
    // A dead letter that does not fit would hold its shard for ever. Inputs may be smaller than what we would create.
    return spec.role !== 'dead-letter' || Number(is) >= Number(wanted) ? null : `at least ${wanted}`;
  }
  const policies = is.split(',').map((policy) => policy.trim());
  if (spec.role === 'verdicts') return policies.includes('compact') ? null : 'compact';
  // Compaction would drop all but the last record of a payment.
  return policies.includes('compact') ? 'delete' : null;
};

const partitionDifferences = (specs: readonly TopicSpec[], counts: ReadonlyMap<string, number>): TopicDifference[] => {
  const copartitioned = specs.filter(({ role, name }) => role !== 'dead-letter' && counts.has(name));
  return copartitioned
    .filter(({ name, partitions }) => counts.get(name) !== partitions)
    .map(({ name, partitions }) => ({
      topic: name,
      what: 'partitions',
      is: String(counts.get(name)),
      shouldBe: `${partitions}, as many as every input topic and verdicts have`,
    }));
};

/** Holds the topics against what they should be. Empty: all is well. Partition counts must be equal and those of the plan. */
export const checkTopics = async (admin: Admin, specs: readonly TopicSpec[]): Promise<TopicDifference[]> => {
  try {
    const names = new Set(await admin.listTopics());
    const present = specs.filter(({ name }) => names.has(name));
    const differences: TopicDifference[] = specs
      .filter(({ name }) => !names.has(name))
      .map(({ name }) => ({
        topic: name,
        what: 'exists',
        is: 'no',
        shouldBe: 'yes',
      }));
    if (present.length === 0) return differences;

    const { topics } = await admin.fetchTopicMetadata({ topics: present.map(({ name }) => name) });
    differences.push(
      ...partitionDifferences(specs, new Map(topics.map(({ name, partitions }) => [name, partitions.length]))),
    );

    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: present.map(({ name }) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name,
        configNames: CHECKED,
      })),
    });
    for (const spec of present) {
      const entries = resources.find(({ resourceName }) => resourceName === spec.name)?.configEntries ?? [];
      for (const { configName, configValue } of entries) {
        const shouldBe = settingDifference(spec, configName, configValue);
        if (shouldBe !== null) differences.push({ topic: spec.name, what: configName, is: configValue, shouldBe });
      }
    }
    return differences;
  } catch (cause) {
    throw brokerUnavailable('checking topics', cause);
  }
};

/** How many partitions each of the topics has; a topic that does not exist is not in the answer. */
export const partitionCounts = async (admin: Admin, topics: readonly string[]): Promise<Map<string, number>> => {
  try {
    const names = new Set(await admin.listTopics());
    const present = topics.filter((topic) => names.has(topic));
    if (present.length === 0) return new Map();
    const metadata = await admin.fetchTopicMetadata({ topics: present });
    return new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]));
  } catch (cause) {
    throw brokerUnavailable('the partition counts of the topics', cause);
  }
};
