import { createInterface } from 'node:readline';
import { createKafkaRecordSink, createOperationProducer, loadContracts, SchemaCache, systemClock } from 'countersign';
import { Kafka } from 'kafkajs';
import { readVerdicts } from '../ledger/read-verdicts.ts';
import { createPayPalCall } from './call-paypal.ts';
import { followAdvice } from './follow-advice.ts';
import { makeRefund, type Refund } from './refund.ts';

const {
  BROKERS = '127.0.0.1:19094',
  TOPIC_PREFIX = '',
  GROUP = 'refunds',
  COUNTERSIGN_REGISTRY_URL,
  REGISTRY = COUNTERSIGN_REGISTRY_URL,
  PAYPAL_API_BASE = 'https://api-m.sandbox.paypal.com',
} = process.env;
const { PAYPAL_CLIENT_ID = '', PAYPAL_CLIENT_SECRET = '' } = process.env;

const accessToken = async (): Promise<string> => {
  const answer = await fetch(`${PAYPAL_API_BASE}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${PAYPAL_CLIENT_ID}:${PAYPAL_CLIENT_SECRET}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!answer.ok) throw new Error(`no access token: HTTP ${answer.status}`);
  return ((await answer.json()) as { access_token: string }).access_token;
};

const kafka = new Kafka({ clientId: 'refunds', brokers: BROKERS.split(',') });
const sink = createKafkaRecordSink(kafka, TOPIC_PREFIX);
const operations = createOperationProducer({ sink, source: '/payments/refunds', contracts: loadContracts() });
const callProvider = createPayPalCall({ apiBase: PAYPAL_API_BASE, accessToken });
const deps = { operations, callProvider };

// A service keeps both in its database: what it meant to refund, and the last revision that it acted on.
const refunds = new Map<string, Refund>();
const revisions = new Map<string, number>();

const say = (what: string, id: string, more: object): void => {
  process.stdout.write(`${JSON.stringify({ what, operation: id, ...more })}\n`);
};

const schemas =
  REGISTRY === undefined
    ? null
    : new SchemaCache({ url: REGISTRY, timeout_ms: 5_000, unknown_schema_ttl_ms: 60_000 }, systemClock);
const consumer = kafka.consumer({ groupId: GROUP, readUncommitted: false });
consumer.on(consumer.events.CRASH, ({ payload }) => {
  process.stderr.write(`${payload.error.message}\n`);
  if (!payload.restart) process.exit(1);
});
await readVerdicts(consumer, `${TOPIC_PREFIX}verdicts`, schemas, async (verdicts) => {
  for (const verdict of verdicts) {
    const { operation_id: id, revision, verdict: word, reason, advice } = verdict;
    const refund = refunds.get(id);
    if (refund === undefined || revision <= (revisions.get(id) ?? 0)) continue;
    say('verdict', id, { revision, verdict: word, reason, advice });
    await followAdvice(verdict, {
      callAgain: () => makeRefund(refund, deps),
      askPerson: async () => say('a person decides', id, { reason }),
      close: async () => say('closed', id, { verdict: word }),
    });
    revisions.set(id, revision);
  }
});

// One refund a line: {"id":"r-1","account":"merchant-1","captureId":"3C679366HH908993R","amount":"10.00","currency":"USD"}
for await (const line of createInterface({ input: process.stdin })) {
  const refund = JSON.parse(line) as Refund;
  refunds.set(refund.id, refund);
  say('refunded', refund.id, await makeRefund(refund, deps));
}
