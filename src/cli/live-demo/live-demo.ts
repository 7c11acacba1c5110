import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import type { VerdictRecord } from '../../evaluator/index.ts';
import { parseJsonText } from '../../records/json-text.ts';
import type { CallMade } from '../../sandbox/http/answering.ts';
import type { Delivery } from '../../sandbox/outbox.ts';
import { readScenario } from '../../sandbox/read-scenario.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { endingLines, isAsExpected, serviceLine, trafficLine, verdictLine, webhookLine } from './live-report.ts';
import { startLiveWorld } from './live-world.ts';
import { createPaymentService } from './payment-service.ts';
import { createRefundCall } from './provider-calls.ts';
import { STORIES } from './stories.ts';

const SCENARIO = fileURLToPath(new URL('../../../examples/scenarios/live-demo.yaml', import.meta.url));
/** How much faster than the wall's the demo's clock runs. */
const SPEED = 20;
/** Of the demo's clock: nothing is over before, a late double least of all; and longer than that nothing takes. */
const LEAST_MS = 200_000;
const MOST_MS = 500_000;
const LOOK_MS = 2_000;

/**
 * Plays the stories live: a payment service refunds at the sandbox, webhooks and reads come in, verdicts go out. Ends when every
 * operation has the verdict that it must have, and with a failure if that does not come.
 */
export const liveDemo = async (options: { readonly json?: boolean }): Promise<ExitCode> => {
  const isJson = options.json === true;
  // At once, line by line: somebody is watching.
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const say = (line: string): void => {
    if (!isJson) print(line);
  };
  const last = new Map<string, VerdictRecord>();
  const calls: CallMade[] = [];
  const deliveries: Delivery[] = [];
  let failure: unknown = null;
  const fail = (error: unknown): void => {
    failure ??= error;
  };
  let sinceMs = (): number => 0;

  say(pc.bold('PayPal, Square, Shopify and Stripe are stood in for on this machine; everything else is real.'));
  say(
    `The clock runs ${SPEED} times faster, so that three minutes of it take ten seconds. Times are its minutes and seconds.\n`,
  );
  const world = await startLiveWorld({
    scenario: readScenario(SCENARIO),
    speed: SPEED,
    verdict: (line) => {
      const verdict = parseJsonText(line) as unknown as VerdictRecord;
      last.set(verdict.operation_id, verdict);
      if (isJson) print(line);
      else say(verdictLine(sinceMs(), verdict));
    },
    called: (call) => void calls.push(call),
    delivered: (delivery) => {
      deliveries.push(delivery);
      if (delivery.outcome === 'refused' || delivery.outcome === 'lost') say(webhookLine(sinceMs(), delivery));
    },
    onFatal: (error) => fail(error),
  });
  const { time, sandbox } = world;
  const beganAt = performance.now();
  sinceMs = () => time.clock.now() - sandbox.startedAt;

  const refund = createPaymentService({
    countersign: world.countersign,
    apiKey: null,
    call: createRefundCall(world.providers, sandbox.world.accounts),
    timers: time.timers,
    did: (operation, what) => say(serviceLine(sinceMs(), operation, what)),
  });
  const isRight = (): boolean => STORIES.every((story) => isAsExpected(story, last.get(story.operation)));
  const stories = STORIES.map((story) => refund(story).catch(fail));
  while (failure === null && sinceMs() < MOST_MS && (sinceMs() < LEAST_MS || !isRight()))
    await time.timers.wait(LOOK_MS);
  await Promise.all(stories);
  const tookMs = sinceMs();
  const wallMs = performance.now() - beganAt;
  await world.stop();

  if (failure !== null) throw failure;
  say('');
  for (const line of endingLines(STORIES, (operation) => last.get(operation))) say(line);
  say(`\n${trafficLine(calls, deliveries)}`);
  say(
    `${STORIES.length} operations in ${Math.round(tookMs / 1000)} s of the demo's clock, ${Math.round(wallMs / 1000)} s of yours.`,
  );
  return isRight() ? EXIT.ok : EXIT.failed;
};
