import { loadHandoff } from '../../config/handoff.ts';
import { loadConfig } from '../../config/load.ts';
import { sealKeyOf } from '../../config/seal-key.ts';
import { secretsOf } from '../../config/secrets.ts';
import { createHandoffLookup } from '../../console/handoff-lookup.ts';
import { createKafkaRecordSink } from '../../drivers/kafka/record-sink.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import { EmbeddedPipeline } from '../../drivers/memory/embedded-pipeline.ts';
import { createRedis } from '../../drivers/redis/connect.ts';
import { createRedisHandoffIndex } from '../../drivers/redis/handoff-index.ts';
import { RedisShardStore } from '../../drivers/redis/shard-store.ts';
import type { Json } from '../../evaluator/index.ts';
import { createLogger } from '../../observability/logger.ts';
import { systemClock } from '../../ports/clock.ts';
import type { HandoffAnswer } from '../../producers/gateway/handoff-intake.ts';
import { printJson } from '../../records/json-text.ts';
import { INPUT_TOPICS, prefixedTopic } from '../../records/topics.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { HandoffDesk } from '../handoff/desk.ts';
import { httpDesk } from '../handoff/http-desk.ts';
import { intakeDesk } from '../handoff/intake-desk.ts';
import { logDesk } from '../handoff/log-desk.ts';
import { planRequest, type RequestOptions } from '../handoff/plan-request.ts';
import { printAnswer } from '../handoff/print-answer.ts';
import { createHandoffs } from '../handoffs.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { createBatchDeps } from '../pipeline-options.ts';
import { UsageError } from '../report-error.ts';
import { asServed, dataFolder, readAddress } from '../serve/data-folder.ts';
import { openKafkaEdge, recordEncoder } from './kafka-edge.ts';
import { createStoredStates } from './stored-states.ts';

export interface HandoffPlace {
  readonly config?: string;
  readonly contracts?: string;
  readonly trustGateway?: boolean;
  readonly data?: string;
  readonly url?: string;
  readonly kafka?: boolean;
  readonly json?: boolean;
  /** milliseconds since the epoch; of a log alone */
  readonly at?: number;
}

export type HandoffPlanOptions = HandoffPlace & RequestOptions;

const API_KEY = 'COUNTERSIGN_API_KEY';

const folderDesk = async (options: HandoffPlace, data: string): Promise<HandoffDesk> => {
  const folder = dataFolder(data);
  const address = await readAddress(folder);
  if (address !== null) return httpDesk(address, process.env[API_KEY] ?? null);
  const { config } = loadConfig({ file: options.config });
  const served = await asServed(folder, options);
  const pipeline = await EmbeddedPipeline.open({
    deps: createConfiguredBatchDeps(config, served),
    clock: systemClock,
    journal: folder.journal,
    onWarning: (message) => process.stderr.write(`countersign: ${message}\n`),
  });
  return intakeDesk({
    producer: {
      source: '/countersign/cli/handoff',
      sink: {
        write: (records) =>
          pipeline.append(
            records.map(({ topic, key, value, headers }) => ({ topic, key, value: value.toString('utf8'), headers })),
          ),
        close: async () => undefined,
      },
    },
    proofs: createHandoffs(config.handoff).proofs,
    lookup: createHandoffLookup(pipeline.handoffs, (key) => pipeline.stateOf(key)),
    clock: systemClock,
    waitMs: 0,
    close: () => pipeline.close(),
  });
};

const kafkaDesk = async (options: HandoffPlace): Promise<HandoffDesk> => {
  const { config } = loadConfig({ file: options.config, needs: ['kafka.brokers', 'redis.url'] });
  const logger = createLogger({ level: 'silent', secrets: secretsOf(config), role: 'handoff' });
  const edge = await openKafkaEdge(config, logger);
  const redis = createRedis(config.redis);
  const store = new RedisShardStore(redis, config.redis.prefix);
  const sink = createKafkaRecordSink(edge.kafka, config.kafka.topic_prefix);
  const topic = prefixedTopic(config.kafka.topic_prefix, INPUT_TOPICS[0]);
  const partitions = async (): Promise<number> => (await partitionCounts(edge.admin, [topic])).get(topic) ?? 0;
  const { stateOf } = createStoredStates({ store, partitions, clock: systemClock });
  return intakeDesk({
    producer: {
      source: '/countersign/cli/handoff',
      sink,
      encoder: await recordEncoder(config),
      seal: config.seals.mode === 'off' ? undefined : sealKeyOf(config.seals),
    },
    proofs: createHandoffs(config.handoff).proofs,
    lookup: createHandoffLookup(createRedisHandoffIndex(redis, config.redis.prefix), stateOf),
    clock: systemClock,
    waitMs: config.handoff.wait_ms,
    close: async () => {
      await Promise.allSettled([sink.close(), edge.close(), store.close()]);
    },
  });
};

const openDesk = (options: HandoffPlace, logs: readonly string[]): Promise<HandoffDesk> => {
  if (logs.length > 0) {
    const { proofs } = createHandoffs(loadHandoff(options.config));
    const now = options.at ?? systemClock.now();
    return logDesk(createBatchDeps({ ...options, trustGateway: options.trustGateway ?? true }), proofs, logs, now);
  }
  if (options.url !== undefined) return Promise.resolve(httpDesk(options.url, process.env[API_KEY] ?? null));
  if (options.data !== undefined) return folderDesk(options, options.data);
  if (options.kafka === true) return kafkaDesk(options);
  throw new UsageError('say where: --kafka, --url, --data, or the log files to plan on');
};

const atDesk = async <T>(
  options: HandoffPlace,
  logs: readonly string[],
  run: (desk: HandoffDesk) => Promise<T>,
): Promise<T> => {
  const desk = await openDesk(options, logs);
  try {
    return await run(desk);
  } finally {
    await desk.close();
  }
};

const jsonOf = (answer: HandoffAnswer): Json => {
  if (answer.outcome === 'decided') return answer.decided as unknown as Json;
  const nothing = { plan: null, plan_digest: null, money_moved: false, provider_status: 'not_called' };
  if (answer.outcome === 'unknown')
    return { decision: 'refused', refusals: answer.refusals as unknown as Json, ...nothing };
  return { decision: null, handoff_id: answer.handoffId, payment_key: answer.paymentKey, ...nothing };
};

const exitOf = (answer: HandoffAnswer): ExitCode => {
  if (answer.outcome === 'pending') return EXIT.failed;
  return answer.outcome === 'decided' && answer.decided.decision === 'planned' ? EXIT.ok : EXIT.notProven;
};

const print = (answer: HandoffAnswer, isJson: boolean): void => {
  const text = isJson ? printJson(jsonOf(answer)) : [...printAnswer(answer)].join('\n');
  process.stdout.write(`${text}\n`);
};

/** Asks for a plan. Answers with the exit code. */
export const planHandoff = (logs: readonly string[], options: HandoffPlanOptions): Promise<ExitCode> =>
  atDesk(options, logs, async (desk) => {
    const answer = await desk.ask(await planRequest(options));
    print(answer, options.json === true);
    return exitOf(answer);
  });

/** Shows the answer to a request. Answers with the exit code. */
export const showHandoff = (id: string, logs: readonly string[], options: HandoffPlace): Promise<ExitCode> =>
  atDesk(options, logs, async (desk) => {
    const decided = await desk.show(id);
    if (decided === null) throw new UsageError(`no answer to ${id} is known there`);
    const answer: HandoffAnswer = { outcome: 'decided', decided };
    print(answer, options.json === true);
    return exitOf(answer);
  });
