import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { accountOf } from '../../config/accounts.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { secretsOf } from '../../config/secrets.ts';
import { lintContract } from '../../contracts/lint.ts';
import { loadContracts } from '../../contracts/load.ts';
import { checkSchemas } from '../../drivers/kafka/registry.ts';
import { partitionCounts } from '../../drivers/kafka/topics.ts';
import type { RedisInspector } from '../../drivers/redis/inspect.ts';
import { OperatingError } from '../../errors.ts';
import type { Contract } from '../../evaluator/index.ts';
import { createLogger } from '../../observability/logger.ts';
import { systemClock } from '../../ports/clock.ts';
import { INPUT_TOPICS, prefixedTopic } from '../../records/topics.ts';
import { checkAccounts } from '../doctor/account-checks.ts';
import { type Check, checksOf } from '../doctor/check.ts';
import { checkEndpoints } from '../doctor/endpoint-checks.ts';
import { checkKafka } from '../doctor/kafka-checks.ts';
import { printChecks } from '../doctor/print.ts';
import { checkReceiptKeys } from '../doctor/receipt-checks.ts';
import { checkRedis } from '../doctor/redis-checks.ts';
import { checkState, type ShardFacts } from '../doctor/state-checks.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type KafkaEdge, openKafkaEdge } from './kafka-edge.ts';
import { createProviderProbe } from './provider-probe.ts';

export interface DoctorOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly probe?: boolean;
  readonly offline?: boolean;
}

/** Runs the checks of one area; a server that does not answer is a finding, not the end. */
const guarded = async (area: Check['area'], advice: string, run: () => Promise<Check[]>): Promise<Check[]> => {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    return [checksOf(area).fail(`${error.code}: ${error.message}`, advice)];
  }
};

const contractChecks = (config: Config): { readonly checks: Check[]; readonly contracts: readonly Contract[] } => {
  const { ok, warn, fail } = checksOf('contracts');
  try {
    const all = loadContracts(config.contracts).all.map(({ contract }) => contract);
    const checks = all.flatMap((contract) => {
      const { id, version } = contract.contract;
      const findings = lintContract(contract);
      if (findings.length === 0) return [ok(`${id} ${version}`)];
      return findings.map(({ rule, severity, path, was, shouldBe }) => {
        const what = `${id} ${version}: ${path.join('.')} was ${was} (${rule})`;
        const advice = `It should be ${shouldBe}.`;
        return severity === 'error' ? fail(what, advice) : warn(what, advice);
      });
    });
    return { checks, contracts: all };
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    return {
      checks: [fail(error.message, 'Mend the contract; `countersign contracts lint` says more.')],
      contracts: [],
    };
  }
};

const registryChecks = async ({ registry, kafka }: Config): Promise<Check[]> => {
  const { ok, fail } = checksOf('registry');
  const { url } = registry;
  if (url === undefined) return [ok('none is configured: what is written is JSON')];
  const problems = await checkSchemas({ ...registry, url }, kafka.topic_prefix);
  if (problems.length === 0) return [ok('every record schema is registered, under BACKWARD compatibility or stricter')];
  return problems.map(({ subject, problem, detail }) =>
    fail(`${subject} is ${problem}: ${detail}`, '`countersign topics create` registers what can be registered.'),
  );
};

const stateChecks = async (
  edge: KafkaEdge,
  config: Config,
  stored: number | null,
  inspector: RedisInspector,
): Promise<Check[]> => {
  const topics = INPUT_TOPICS.map((topic) => prefixedTopic(config.kafka.topic_prefix, topic));
  const counts = await partitionCounts(edge.admin, topics);
  const [partitions = null] = counts.values();
  const shards: ShardFacts[] = [];
  if (stored !== null && stored === partitions && counts.size === topics.length) {
    const bounds = new Map(
      await Promise.all(topics.map(async (topic) => [topic, await edge.reader.bounds(topic)] as const)),
    );
    for (let shard = 0; shard < stored; shard += 1) {
      const { applied } = await inspector.position(shard);
      const ofShard = topics.map((topic) => [topic, bounds.get(topic)?.[shard] ?? { low: 0n, high: 0n }] as const);
      shards.push({ shard, applied, bounds: new Map(ofShard) });
    }
  }
  return checkState(stored, partitions, shards);
};

const serverChecks = async (config: Config, contracts: readonly Contract[], probe: boolean): Promise<Check[]> => {
  const logger = createLogger({ level: 'silent', secrets: secretsOf(config), role: 'doctor' });
  const checks: Check[] = [];
  let edge: KafkaEdge | null = null;
  let redis: Awaited<ReturnType<typeof checkRedis>> | null = null;
  checks.push(
    ...(await guarded('kafka', 'Start the brokers, or mend kafka.brokers, TLS and SASL.', async () => {
      edge = await openEdge(config, logger);
      return checkKafka(edge, config, contracts, probe);
    })),
    ...(await guarded('registry', 'Start the registry, or mend registry.url.', () => registryChecks(config))),
    ...(await guarded('redis', 'Start Redis, or mend redis.url and its credentials.', async () => {
      if (config.redis.url === undefined)
        return [checksOf('redis').fail('redis.url is not set', 'Set it (COUNTERSIGN_REDIS_URL).')];
      redis = await checkRedis(config);
      return redis.checks;
    })),
  );
  const [kafka, state] = [edge as KafkaEdge | null, redis as Awaited<ReturnType<typeof checkRedis>> | null];
  if (kafka !== null && state !== null) {
    const { partitions, inspector } = state;
    checks.push(...(await guarded('state', 'See above.', () => stateChecks(kafka, config, partitions, inspector))));
  }
  await Promise.all([kafka?.close(), state?.close()]);
  return checks;
};

const openEdge = async (config: Config, logger: ReturnType<typeof createLogger>): Promise<KafkaEdge> => {
  try {
    return await openKafkaEdge(config, logger);
  } catch (cause) {
    if (cause instanceof OperatingError) throw cause;
    throw new OperatingError('BROKER_UNAVAILABLE', `${config.kafka.brokers.join(', ')}: ${(cause as Error).message}`, {
      cause,
    });
  }
};

/** The folder, or the nearest one above it that is there: looking makes none. */
const existingFolder = (path: string): string => {
  const whole = resolve(path);
  return existsSync(whole) ? whole : existingFolder(dirname(whole));
};

const embeddedChecks = async ({ data }: Config): Promise<Check[]> => {
  const { ok, fail } = checksOf('data');
  const kafka = checksOf('kafka').ok('kafka.brokers is not set: only the embedded mode (`countersign serve`) can run');
  try {
    await access(existingFolder(data), constants.W_OK);
    return [kafka, ok(`${data} can be written`)];
  } catch (error) {
    return [
      kafka,
      fail(`${data} cannot be written: ${(error as Error).message}`, 'Mend its owner, or set data (COUNTERSIGN_DATA).'),
    ];
  }
};

const allChecks = async (options: DoctorOptions): Promise<Check[]> => {
  const { ok, warn, fail } = checksOf('config');
  let loaded: ReturnType<typeof loadConfig>;
  try {
    loaded = loadConfig({ file: options.config });
  } catch (error) {
    if (!(error instanceof OperatingError)) throw error;
    return [fail(error.message, 'Mend it; docs/reference/config.md has every key.')];
  }
  const { config, endpoints, warnings } = loaded;
  const { checks, contracts } = contractChecks(config);
  const isOffline = options.offline === true;
  return [
    ok(`it is right, with ${endpoints.length} webhook endpoint(s)`),
    ...warnings.map((text) => warn(text, 'Change it.')),
    ...(config.test_mode ? [warn('test_mode is on', 'Switch it off where money is real.')] : []),
    ...checks,
    ...checkEndpoints(endpoints, systemClock.now()),
    ...checkReceiptKeys(config.receipts.keys, systemClock.now()),
    ...(await checkAccounts(config.accounts.map(accountOf), endpoints, isOffline ? null : createProviderProbe(config))),
    ...(config.kafka.brokers.length === 0 ? await embeddedChecks(config) : []),
    ...(config.kafka.brokers.length > 0 && !isOffline
      ? await serverChecks(config, contracts, options.probe === true)
      : []),
  ];
};

/** Looks at everything that Countersign needs, and says what to do. Answers with the exit code. */
export const doctor = async (options: DoctorOptions): Promise<ExitCode> => {
  const checks = await allChecks(options);
  const isWell = checks.every(({ status }) => status !== 'fail');
  process.stdout.write(options.json === true ? `${JSON.stringify({ ok: isWell, checks })}\n` : printChecks(checks));
  return isWell ? EXIT.ok : EXIT.failed;
};
