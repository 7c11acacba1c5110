import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { API_SCOPES } from '../../config/gateway.ts';
import type { Config } from '../../config/schema.ts';
import { createHandoffLookup } from '../../console/handoff-lookup.ts';
import { createStateLookup } from '../../console/state-lookup.ts';
import { countBatch } from '../../consumers/batch-counts.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { followFile } from '../../drivers/files/follow-file.ts';
import { readLines, STANDARD_INPUT } from '../../drivers/files/input-file.ts';
import { createCertificateSource } from '../../drivers/http/certificate-source.ts';
import { EmbeddedPipeline } from '../../drivers/memory/embedded-pipeline.ts';
import { countHandoff } from '../../observability/count-handoff.ts';
import { type Readiness, startHealthServer } from '../../observability/health-server.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { jsonEncoder } from '../../ports/record-encoder.ts';
import { systemTime, type Time } from '../../ports/time.ts';
import type { ApiClient } from '../../producers/gateway/api-key.ts';
import { createGatewayEdge } from '../../producers/gateway/edge.ts';
import type { Endpoint } from '../../providers/index.ts';
import { createHandoffs } from '../handoffs.ts';
import type { Stoppable } from '../until-stopped.ts';
import { version } from '../version.ts';
import { countDeadLetter, countVerdict } from './count.ts';
import { makeDataFolder, removeAddress, writeAddress } from './data-folder.ts';
import { DeadLetterFile } from './dead-letter-file.ts';
import { startEmbeddedReadback } from './embedded-readback.ts';
import { createEmbeddedSink } from './embedded-sink.ts';
import { Intake } from './intake.ts';
import { lateStarts } from './late-starts.ts';
import { isLoopbackHost, isOwnRequest } from './own-request.ts';
import { openFolderReceipts } from './receipts.ts';
import { operationRoutes } from './routes.ts';
import { takeLines } from './take-lines.ts';
import { VerdictLog } from './verdict-log.ts';

const FOLLOW_MS = 250;

/** Of the time to stop, what is kept for the rest once the calls under way are finished. */
const STOP_MARGIN_MS = 5_000;

const LOCAL_USER: ApiClient = { id: 'local', scopes: new Set(API_SCOPES), accounts: null };

export interface EmbeddedRoleOptions {
  readonly config: Config;
  readonly batch: BatchDeps;
  /** where webhooks may come in, with their secrets */
  readonly endpoints: readonly Endpoint[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** the data folder */
  readonly data: string;
  /** the verdicts' file; null: in the data folder, and each new line goes to `echo` as well */
  readonly verdicts: string | null;
  readonly echo: (line: string) => void;
  readonly stdin: boolean;
  /** files of records to follow */
  readonly follow: readonly string[];
  readonly onFatal: (error: unknown) => void;
  /** the system's unless given */
  readonly time?: Time;
}

export interface EmbeddedRole extends Stoppable {
  /** where it listens */
  readonly address: string;
}

/** The whole of Countersign in one process, on the embedded drivers. Opens and replays the journal, then takes records. */
export const startEmbeddedRole = async (options: EmbeddedRoleOptions): Promise<EmbeddedRole> => {
  const { config, batch, logger, metrics, onFatal, time = systemTime } = options;
  const { clock } = time;
  const folder = await makeDataFolder(options.data);
  let isRecovering = true;
  let pipeline: EmbeddedPipeline | null = null;
  let trouble: string | null = null;
  const opened = (): EmbeddedPipeline => {
    if (pipeline === null) throw new TypeError('a record came before the journal was replayed');
    return pipeline;
  };
  const fail = (error: unknown): void => {
    trouble = (error as Error).message;
    onFatal(error);
  };

  const verdicts = await VerdictLog.open(
    options.verdicts ?? folder.verdicts,
    options.verdicts === null ? options.echo : null,
  );
  const deadLetters = await DeadLetterFile.open(folder.deadLetters);
  const receipts = await openFolderReceipts(folder, config.receipts.keys, logger, metrics);
  const intake = new Intake(opened, clock);
  const warnOfLateStart = lateStarts(logger);
  pipeline = await EmbeddedPipeline.open({
    deps: batch,
    clock,
    journal: folder.journal,
    receipts,
    onWarning: (message) => logger.warn(message),
    onVerdict: (published) => {
      if (!verdicts.take(published)) return;
      countVerdict(metrics, published.verdict);
      warnOfLateStart(published.verdict);
    },
    onHandoff: (decided, isRecovered) => {
      if (!isRecovered) countHandoff(metrics, decided);
    },
    onDeadLetter: (deadLetter) => {
      intake.deadLetter(deadLetter);
      if (deadLetters.take(deadLetter)) countDeadLetter(metrics, deadLetter.code);
    },
    onCounts: (counts) => {
      if (!isRecovering) countBatch(metrics, counts);
    },
  });
  isRecovering = false;
  verdicts.recovered();
  deadLetters.recovered();
  const running = pipeline;
  logger.info({ journal: folder.journal, ...running.recovery }, 'the journal is replayed');
  await running.tick();

  const ticking = setInterval(() => {
    metrics.streamTimeDelay.set({ shard: 0 }, Math.max(0, (clock.now() - running.now) / 1000));
    running.tick().catch(fail);
    running.oldestUnresolved().then((since) => {
      const ageMs = since === null ? 0 : Math.max(0, clock.now() - since);
      metrics.oldestUnresolved.set({ shard: 0 }, ageMs / 1000);
    }, fail);
  }, config.processing.due_check_ms);

  const readiness = (): Readiness => {
    const { waitingMs } = intake;
    const reads = readback?.readiness() ?? null;
    const reasons = [
      ...(reads?.reasons ?? []),
      ...(trouble === null ? [] : [`it cannot go on: ${trouble}`]),
      ...(waitingMs < config.processing.stall_after_ms ? [] : [`a record has waited for ${waitingMs} ms`]),
    ];
    const facts = {
      operations: running.operations.size,
      stream_time: new Date(running.now).toISOString(),
      ...(reads?.facts ?? {}),
    };
    return { ready: reasons.length === 0, reasons, facts };
  };
  const isLoopback = isLoopbackHost(config.http.host);
  const hasKeys = config.gateway.api_keys.length > 0;
  if (!isLoopback && !hasKeys) {
    logger.warn(
      { host: config.http.host },
      'no API keys are configured: POST /v1/records takes records from whoever reaches this address; let nobody but your own services reach it',
    );
  }
  const sink = createEmbeddedSink(intake);
  const readback =
    config.accounts.length === 0
      ? null
      : startEmbeddedReadback({
          config,
          contracts: batch.contracts,
          pipeline: running,
          sink,
          logger,
          metrics,
          onFatal: fail,
          time,
        });
  const edge = createGatewayEdge({
    config,
    endpoints: options.endpoints,
    contracts: batch.contracts,
    sink,
    encoder: jsonEncoder,
    lookup: createStateLookup({
      contracts: batch.contracts,
      now: () => running.now,
      stateOf: (paymentKey) => running.stateOf(paymentKey),
      revisionsOf: (key) => running.operations.get(key)?.revisions ?? [],
      async *statesWith(operationId) {
        for (const { last } of running.operations.list({ operationId })) {
          const state = await running.stateOf(last.payment_key);
          if (state !== null) yield state;
        }
      },
    }),
    handoffs: {
      proofs: createHandoffs(config.handoff).proofs,
      lookup: createHandoffLookup(running.handoffs, (paymentKey) => running.stateOf(paymentKey)),
    },
    certificates: createCertificateSource({ timeoutMs: config.gateway.certificate_timeout_ms }),
    // On an address that only this machine reaches, who asks without a key is its user.
    anonymous: ({ headers }) => (!hasKeys && isLoopback && isOwnRequest(headers, isLoopback) ? LOCAL_USER : null),
    answersReads: true,
    clock,
    metrics,
    logger,
    version: version(),
  });
  const records = operationRoutes({
    operations: running.operations,
    isLoopback,
    findClient: hasKeys ? edge.findClient : null,
    take: (inputs) => intake.take(inputs),
    failed: (error) => logger.error({ err: error }, 'a request could not be answered'),
  });
  const server = await startHealthServer({
    ...config.http,
    metrics,
    readiness,
    limits: {
      requestTimeoutMs: config.gateway.request_timeout_ms,
      headerBytesMax: config.gateway.header_bytes,
      connectionsMax: config.gateway.connections,
    },
    routes: (instance) => {
      records(instance);
      edge.routes(instance);
    },
  });
  await writeAddress(folder, server.address);
  logger.info({ address: server.address, verdicts: options.verdicts ?? folder.verdicts }, 'listening');

  const taking = { intake, deadLetters, metrics, logger };
  const followed = options.follow.map((path) => {
    const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 16);
    const following = followFile({
      path,
      positionPath: folder.position(name),
      pollMs: FOLLOW_MS,
      take: (lines) => takeLines(taking, path, lines),
    });
    following.failed.catch(fail);
    return following;
  });
  if (options.stdin) {
    const read = async (): Promise<void> => {
      for await (const lines of readLines(STANDARD_INPUT)) await takeLines(taking, STANDARD_INPUT, lines);
      logger.info('standard input has ended');
    };
    read().catch(fail);
  }

  return {
    address: server.address,
    stop: async () => {
      clearInterval(ticking);
      if (options.stdin) process.stdin.destroy();
      await Promise.all(followed.map((each) => each.stop()));
      await readback?.stop(Math.max(0, config.processing.stop_timeout_ms - STOP_MARGIN_MS));
      await server.close();
      await edge.close();
      await running.close();
      await removeAddress(folder);
      verdicts.close();
      receipts?.store.close();
      deadLetters.close();
    },
  };
};
