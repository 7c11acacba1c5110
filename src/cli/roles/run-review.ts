import { loadConfig } from '../../config/load.ts';
import { secretsOf } from '../../config/secrets.ts';
import { operationOfVerdict } from '../../console/review-queue.ts';
import { createLogger } from '../../observability/logger.ts';
import { systemClock } from '../../ports/clock.ts';
import { createReviewProducer } from '../../producers/review-producer.ts';
import { printJson } from '../../records/json-text.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ChunkedOutput } from '../output.ts';
import { createConfiguredBatchDeps } from '../pipeline-config.ts';
import { UsageError } from '../report-error.ts';
import type { ReviewDesk } from '../review/desk.ts';
import { embeddedDesk } from '../review/embedded-desk.ts';
import { httpDesk } from '../review/http-desk.ts';
import { kafkaDesk } from '../review/kafka-desk.ts';
import { printQuestions } from '../review/print.ts';
import { asServed, dataFolder, readAddress } from '../serve/data-folder.ts';
import { openKafkaEdge } from './kafka-edge.ts';

export interface ReviewOptions {
  readonly config?: string;
  readonly trustGateway?: boolean;
  readonly data?: string;
  readonly url?: string;
  readonly json?: boolean;
}

export interface ResolveOptions extends ReviewOptions {
  readonly decision: 'VERIFIED' | 'CONTRADICTED' | 'FAILED';
  readonly reason: string;
  readonly reviewer: string;
  readonly force?: boolean;
}

/** Where the reviewer sits: at a server's HTTP, at a data folder, or at Kafka. */
const openDesk = async (options: ReviewOptions): Promise<ReviewDesk> => {
  if (options.url !== undefined) return httpDesk(options.url);
  const { config } = loadConfig({ file: options.config, needs: options.data === undefined ? ['kafka.brokers'] : [] });
  if (options.data !== undefined) {
    const folder = dataFolder(options.data);
    const address = await readAddress(folder);
    if (address !== null) return httpDesk(address);
    return embeddedDesk(createConfiguredBatchDeps(config, await asServed(folder, options)), folder);
  }
  const logger = createLogger({ level: 'silent', secrets: secretsOf(config), role: 'review' });
  const edge = await openKafkaEdge(config, logger);
  const desk = kafkaDesk(config, edge);
  return {
    ...desk,
    close: async () => {
      await desk.close();
      await edge.close();
    },
  };
};

const atDesk = async <T>(options: ReviewOptions, run: (desk: ReviewDesk) => Promise<T>): Promise<T> => {
  const desk = await openDesk(options);
  try {
    return await run(desk);
  } finally {
    await desk.close();
  }
};

/** Lists what waits for a person. Answers with the exit code. */
export const listReviews = (options: ReviewOptions): Promise<ExitCode> =>
  atDesk(options, async (desk) => {
    const questions = await desk.questions();
    const output = new ChunkedOutput(process.stdout);
    if (options.json === true) for (const question of questions) output.line(printJson(question as never));
    else
      for (const line of printQuestions(questions, systemClock.now(), process.stdout.columns ?? 100)) output.line(line);
    await output.flush();
    return EXIT.ok;
  });

/** Publishes a reviewer's decision on a verdict. Answers with the exit code. */
export const resolveReview = (verdictId: string, options: ResolveOptions): Promise<ExitCode> =>
  atDesk(options, async (desk) => {
    const operation = operationOfVerdict(verdictId);
    if (operation === null)
      throw new UsageError(`the verdict id was ${verdictId}, should be <payment key>/<operation id>:<revision>`);
    const latest = await desk.latest(operation);
    if (latest === null) throw new UsageError(`no verdict is published of operation ${operation}`);
    if (latest.verdict_id !== verdictId && options.force !== true) {
      throw new UsageError(
        `${verdictId} is no longer the latest: ${latest.verdict_id} says ${latest.verdict}, ${latest.reason}. ` +
          'Look at that one, and answer it; --force answers the older one all the same',
      );
    }
    const { provider, account, payment_key: key, operation_id: id } = latest;
    const reviews = createReviewProducer({ source: '/countersign/cli/review', ...(await desk.producer()) });
    const published = await reviews.decided({
      operation_id: id,
      provider,
      account,
      payment_id: key.slice(`${provider}:${account}:`.length),
      answers: verdictId,
      decision: options.decision,
      reason: options.reason,
      reviewer: options.reviewer,
      decided_at: new Date(systemClock.now()).toISOString(),
    });
    const told = { answers: verdictId, decision: options.decision, reviewer: options.reviewer, ...published };
    const line = `${options.decision} by ${options.reviewer} is published, in answer to ${verdictId}.`;
    process.stdout.write(`${options.json === true ? JSON.stringify(told) : line}\n`);
    return EXIT.ok;
  });
