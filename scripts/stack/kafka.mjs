import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../setup/command.mjs';
import { kafkaJars } from './downloads.mjs';
import { answers } from './ports.mjs';
import { isRunning, startServer, stopServer, tail } from './processes.mjs';
import { requireJava } from './tools.mjs';
import { until } from './wait.mjs';

/**
 * One KRaft node on the loopback. Internal topics are small; groups rebalance without a first wait and allow the short
 * sessions that tests use. Controlled shutdown stays on and the broker's own session is short: otherwise a restart takes 12 s.
 *
 * @param {{ folder: string, port: number, controllerPort: number }} broker
 */
function properties({ folder, port, controllerPort }) {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=${join(folder, 'data')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
auto.create.topics.enable=false
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
`;
}

/** Kafka logs on the console as log4j's default layout does only when told so. */
const LOG4J = `Configuration:
  Appenders:
    Console:
      name: out
      PatternLayout:
        pattern: "%d{ISO8601} %p %m (%c{1})%n%throwable"
  Loggers:
    Root:
      level: WARN
      AppenderRef:
        ref: out
    Logger:
      - name: kafka.server.KafkaRaftServer
        level: INFO
      - name: kafka.server
        level: INFO
`;

/**
 * Starts a broker and waits until it serves. Its data stay in `folder` and are used again.
 *
 * @param {{ folder: string, port: number, controllerPort: number, throughput?: boolean, outlives?: boolean }} broker
 *   `throughput`: let the JVM compile fully and give it memory, for benchmarks; the start takes longer
 * @returns {Promise<import('./processes.mjs').ServerProcess>}
 */
export async function startKafka({ folder, port, controllerPort, throughput = false, outlives = false }) {
  const java = requireJava();
  const jars = join(await kafkaJars(), '*');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'server.properties');
  writeFileSync(config, properties({ folder, port, controllerPort }));
  const log4j = join(folder, 'log4j2.yaml');
  writeFileSync(log4j, LOG4J);
  const logging = `-Dlog4j2.configurationFile=${log4j}`;
  if (!existsSync(join(folder, 'data', 'meta.properties'))) {
    // A leading dash would be read as an option.
    const cluster = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    const format = ['-Xmx128m', logging, '-cp', jars, 'kafka.tools.StorageTool', 'format', '-t', cluster, '-c', config];
    await run(java, format, { quiet: true });
  }
  const memory = throughput
    ? ['-Xms1g', '-Xmx1g', '-XX:+UseParallelGC']
    : ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const logFile = join(folder, 'kafka.log');
  writeFileSync(logFile, '');
  const server = await startServer(java, [...memory, logging, '-cp', jars, 'kafka.Kafka', config], {
    logFile,
    outlives,
  });
  try {
    await until(
      'Kafka to start',
      async () => readFileSync(logFile, 'utf8').includes('Kafka Server started') && (await answers(port)),
      {
        timeoutMs: 90_000,
        gone: () => (isRunning(server) ? null : `it ended. ${tail(logFile)}`),
      },
    );
  } catch (error) {
    await stopServer(server, { graceMs: 0 });
    throw error;
  }
  return server;
}
