import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, ITopicConfig } from 'kafkajs';
import { brokerErrorType } from './broker-error.ts';

const DEADLINE_MS = 20_000;
const BETWEEN_LOOKS_MS = 50;

/** A broker that has not heard of a topic that was made a moment ago. The client's own wait takes it for the end. */
const NOT_YET = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);

const haveLeaders = async (admin: Admin, names: string[]): Promise<boolean> => {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: names });
    const haveAll = topics.every(
      ({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0),
    );
    // What the metadata name as leader may not know of it yet: only an answer of its own says so.
    if (haveAll) await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)));
    return haveAll;
  } catch (error) {
    if (NOT_YET.has(brokerErrorType(error))) return false;
    throw error;
  }
};

/** Makes topics and waits until every partition has a leader. Throws the client's errors, and an Error past 20 s. */
export const makeTopics = async (admin: Admin, topics: ITopicConfig[]): Promise<void> => {
  await admin.createTopics({ topics, waitForLeaders: false });
  const names = topics.map(({ topic }) => topic);
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await haveLeaders(admin, names))) {
    if (Date.now() > deadline) throw new Error(`${names.join(', ')}: no leader after ${DEADLINE_MS} ms`);
    await pause(BETWEEN_LOOKS_MS);
  }
};
