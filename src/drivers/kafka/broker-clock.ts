import type { Admin, Kafka } from 'kafkajs';
import { brokerUnavailable } from './broker-error.ts';
import { makeTopics } from './make-topics.ts';

/** Another clock, and ours before and after it was asked. Milliseconds since the epoch. */
export interface AskedClock {
  readonly time: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/**
 * The clock of a broker: no request asks for it, but a topic that is stamped by the broker tells when a record arrived. The
 * topic is made for this and deleted. Throws BROKER_UNAVAILABLE.
 */
export const probeBrokerClock = async (kafka: Kafka, admin: Admin, topic: string): Promise<AskedClock> => {
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  try {
    const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }];
    await makeTopics(admin, [{ topic, numPartitions: 1, configEntries }]);
    await producer.connect();
    const send = () => producer.send({ topic, acks: -1, messages: [{ key: null, value: 'what time is it' }] });
    // The first one waits for metadata.
    await send();
    const askedAt = Date.now();
    const [answer] = await send();
    return { time: Number(answer?.logAppendTime), askedAt, answeredAt: Date.now() };
  } catch (cause) {
    throw brokerUnavailable(`asking the broker for its time by topic ${topic}`, cause);
  } finally {
    await producer.disconnect().catch(() => undefined);
    await admin.deleteTopics({ topics: [topic] }).catch(() => undefined);
  }
};
