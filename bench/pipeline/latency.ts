import { setTimeout as wait } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { paypalLoad } from '../load/paypal.ts';
import { Random } from '../load/random.ts';
import { shopifyLoad } from '../load/shopify.ts';
import { squareLoad } from '../load/square.ts';
import { type LoadRecord, Story } from '../load/story.ts';
import { stripeLoad } from '../load/stripe.ts';
import { type Deployment, messageOf } from './deployment.ts';

/** Milliseconds from a webhook's sending to its operation's verdict at read_committed. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answered: number;
  readonly sent: number;
}

const LOADS = [paypalLoad, squareLoad, shopifyLoad, stripeLoad];
const TURN = { isDoubled: false, isRedelivered: false, isSlow: false, isFailed: false, isLost: false };
const TICK_MS = 20;
const RECORDS_AN_OPERATION = 4;
/** What an operation's other records cause has been published when its webhook is sent. */
const WEBHOOK_AFTER_MS = 3000;
const SETTLE_MS = 10_000;

const isWebhook = ({ topic }: LoadRecord): boolean => topic === 'webhook-received';

/** Sends `rate` records a second for `seconds`, each operation's webhook last, and waits for what it decides. */
export const measureLatency = async (
  { kafka, prefix }: Deployment,
  rate: number,
  seconds: number,
  seed: number,
): Promise<Latency> => {
  const sentAt = new Map<string, number>();
  const took: number[] = [];
  const consumer = kafka.consumer({ groupId: `${prefix}reader-${seed}`, maxWaitTimeInMs: 5, readUncommitted: false });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await Promise.all([consumer.connect(), producer.connect()]);
  await consumer.subscribe({ topics: [`${prefix}verdicts`], fromBeginning: false });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      const now = performance.now();
      for (const { key } of batch.messages) {
        const payment = (key?.toString() ?? '').split('/op-')[0] ?? '';
        const sent = sentAt.get(payment);
        if (sent === undefined) continue;
        sentAt.delete(payment);
        took.push(now - sent);
      }
    },
  });
  await wait(3000);
  const random = new Random(seed);
  const ticks = Math.round((seconds * 1000) / TICK_MS);
  const held = Math.round(WEBHOOK_AFTER_MS / TICK_MS);
  const operationsATick = (rate * TICK_MS) / 1000 / RECORDS_AN_OPERATION;
  const webhooks: LoadRecord[][] = [];
  const sends: Promise<unknown>[] = [];
  let sent = 0;
  let owed = 0;
  const began = performance.now();
  for (let tick = 0; tick < ticks + held; tick += 1) {
    const records: LoadRecord[] = [];
    const due: LoadRecord[] = [];
    for (owed += tick < ticks ? operationsATick : 0; owed >= 1; owed -= 1) {
      const load = LOADS[random.below(LOADS.length)] ?? paypalLoad;
      const story = new Story(load, random, load.paymentId(random), `op-l${seed}-${random.mixedId(10)}`);
      const told = story.tell(Date.now() - 30_000, 500 + random.below(20_000), TURN);
      records.push(...told.filter((record) => !isWebhook(record)));
      due.push(...told.filter(isWebhook));
    }
    webhooks.push(due);
    const late = webhooks[tick - held] ?? [];
    const now = Date.now();
    const messages = [...records, ...late].map((record) => ({ ...record, at: now }));
    const topicMessages = ['operation-started', 'readback-result', 'webhook-received'].map((topic) => ({
      topic: prefix + topic,
      messages: messages.filter((record) => record.topic === topic).map(messageOf),
    }));
    const at = performance.now();
    for (const { key } of late) sentAt.set(key, at);
    sent += late.length;
    // Not awaited: a slow answer must not slow the sending. One that fails leaves its webhooks without an answer.
    if (messages.length > 0) sends.push(producer.sendBatch({ topicMessages, acks: 1 }).catch(() => undefined));
    const ahead = began + (tick + 1) * TICK_MS - performance.now();
    if (ahead > 0) await wait(ahead);
  }
  for (let waited = 0; sentAt.size > 0 && waited < SETTLE_MS; waited += 100) await wait(100);
  await Promise.all(sends);
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
  took.sort((a, b) => a - b);
  const quantile = (q: number): number => took[Math.min(took.length - 1, Math.floor(took.length * q))] ?? Number.NaN;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), answered: took.length, sent };
};
