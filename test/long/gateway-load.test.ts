import { Pool } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmission } from '../../src/consumers/admit.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import type { WebhookReceived } from '../../src/records/index.ts';
import { type GatewayProcess, startGatewayProcess } from '../integration/gateway-process.ts';
import { readAll } from '../integration/kafka-fixture.ts';
import { type Deployment, deploy } from '../integration/process-fixture.ts';
import { squareBody, squareEndpoint, squareHeaders } from '../support/deliveries.ts';

const PER_SECOND = 2_000;
const SECONDS = 30;
/** one event in so many is delivered again */
const REDELIVERED = 5;
const PARTITIONS = 4;

const SQUARE = {
  provider: 'square',
  account: 'merchant-1',
  signature_keys: ['square-key'],
  notification_url: 'https://pay.example/webhooks/square/default',
};

let deployment: Deployment;
let gateway: GatewayProcess;
beforeAll(async () => {
  deployment = await deploy({ COUNTERSIGN_ENDPOINTS: JSON.stringify([SQUARE]) });
  gateway = await startGatewayProcess(deployment.env);
});
afterAll(async () => {
  await gateway.stop('SIGKILL');
  await deployment.close();
});

/** Seconds of CPU that the gateway has used: what it bears does not depend on what else this machine does. */
const cpuSeconds = async (): Promise<number> => {
  const text = await (await fetch(`${gateway.address}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
};

it('keeps each of 2,000 webhooks a second for 30 s, redeliveries and refusals sent again, once as evidence', async () => {
  const pool = new Pool(gateway.address, { connections: 128 });
  const events = PER_SECOND * SECONDS;
  let late = 0;
  let refused = 0;
  let deliveries = 0;
  const deliver = async (event: number): Promise<void> => {
    const body = squareBody({ id: `pay${event}_r`, payment_id: `pay${event}` }, { event_id: `e-${event}` });
    const headers = { 'content-type': 'application/json', ...squareHeaders(body) };
    for (;;) {
      const answer = await pool.request({ path: '/webhooks/square/default', method: 'POST', headers, body });
      await answer.body.dump();
      deliveries += 1;
      if (answer.statusCode === 200) return;
      // As a provider does.
      refused += 1;
    }
  };
  const cpuBefore = await cpuSeconds();
  const begun = performance.now();
  const running = new Set<Promise<void>>();
  for (let event = 0; event < events; ) {
    const due = Math.min(events, Math.floor(((performance.now() - begun) / 1000) * PER_SECOND));
    for (; event < due; event += 1) {
      for (let time = 0; time < (event % REDELIVERED === 0 ? 2 : 1); time += 1) {
        const sent = deliver(event).finally(() => running.delete(sent));
        running.add(sent);
      }
    }
    if (running.size > 5_000) {
      late += 1;
      await Promise.race(running);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(running);
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  const cpuUs = (((await cpuSeconds()) - cpuBefore) / deliveries) * 1e6;
  process.stdout.write(
    `${events} events in ${seconds.toFixed(1)} s (${Math.round(events / seconds)} a second, ${deliveries} deliveries), ${refused} sent again, held back ${late} times; the gateway's CPU: ${Math.round(cpuUs)} us a delivery, ${Math.round(1e6 / cpuUs)} a second and core\n`,
  );

  const rules = { contracts: loadContracts(), endpoints: [squareEndpoint()], trustGateway: false, testMode: false };
  const admission = createAdmission(rules);
  const evidence = new Set<string>();
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const topic = deployment.topic('webhook-received');
    for (const { value, offset, timestamp } of await readAll(deployment.reader, topic, partition)) {
      const record = JSON.parse(Buffer.from(value ?? '').toString()) as WebhookReceived;
      const admitted = admission.admit(record, { source: { topic, partition, offset }, timestamp });
      if (admitted.outcome !== 'admitted') throw new Error(`an event was not admitted: ${JSON.stringify(admitted)}`);
      for (const observation of admitted.observations)
        if (observation.kind === 'event') evidence.add(observation.dedupeKey);
    }
  }
  expect(evidence.size).toBe(events);
});
