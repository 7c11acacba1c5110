import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaJars, registryJars } from './downloads.mjs';
import { stackEnvironment, writeEnvironment } from './environment.mjs';
import { startKafka } from './kafka.mjs';
import { STACK } from './paths.mjs';
import { freePorts, isFree } from './ports.mjs';
import { isRunning, stopServer } from './processes.mjs';
import { startRedis } from './redis.mjs';
import { startRegistry } from './registry.mjs';
import { alone, readState, writeState } from './state.mjs';
import { findJava, findMaven, findRedis } from './tools.mjs';

/** Which port names belong to which server. */
const SERVERS = { kafka: ['kafka', 'controller'], redis: ['redis'], registry: ['registry'] };

/** @typedef {keyof typeof SERVERS} ServerName */

/** What the stack lacks on this machine, each as what to install; empty: it can be had. */
export function missingForStack() {
  return [findJava(), findMaven(), findRedis()].flatMap((found) => ('missing' in found ? [found.missing] : []));
}

/**
 * The ports of a server that is to be started: those of the last time, unless somebody else has taken one.
 *
 * @param {import('./state.mjs').StackState} state
 * @param {ServerName} server
 */
async function choosePorts(state, server) {
  for (const name of SERVERS[server]) {
    const known = state.ports[name];
    if (known !== undefined && (await isFree(known))) continue;
    const [port] = await freePorts(1);
    if (port !== undefined) state.ports[name] = port;
  }
}

/**
 * Starts what does not run yet. Repeating it is harmless.
 *
 * @param {{ throughput?: boolean }} [options] see {@link startKafka}
 * @returns {Promise<{ environment: Record<string, string>, started: ServerName[] }>}
 */
export function up({ throughput = false } = {}) {
  return alone(async () => {
    const state = readState();
    const names = /** @type {ServerName[]} */ (Object.keys(SERVERS));
    const started = names.filter((name) => !isRunning(state.servers[name]));
    for (const name of started) await choosePorts(state, name);
    // One Maven at a time; then everything starts side by side.
    if (started.includes('kafka')) await kafkaJars();
    if (started.includes('registry')) await registryJars();
    /** @type {Record<ServerName, () => Promise<import('./processes.mjs').ServerProcess>>} */
    const start = {
      kafka: () => {
        const { kafka: port = 0, controller: controllerPort = 0 } = state.ports;
        return startKafka({ folder: join(STACK, 'kafka'), port, controllerPort, throughput, outlives: true });
      },
      redis: () =>
        startRedis({ folder: join(STACK, 'redis'), port: state.ports['redis'] ?? 0, durable: true, outlives: true }),
      registry: () =>
        startRegistry({ folder: join(STACK, 'registry'), port: state.ports['registry'] ?? 0, outlives: true }),
    };
    const outcomes = await Promise.allSettled(
      started.map(async (name) => {
        state.servers[name] = await start[name]();
        // At once: a server that runs must be known, whatever becomes of the others.
        writeState(state);
      }),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    const environment = stackEnvironment(state.ports);
    writeEnvironment(environment);
    return { environment, started };
  });
}

/**
 * Ends the processes that {@link up} started, and no others.
 *
 * @param {{ wipe?: boolean }} [options] `wipe`: also forget the data (not the downloads)
 * @returns {Promise<string[]>} the servers that were running
 */
export function down({ wipe = false } = {}) {
  return alone(async () => {
    const state = readState();
    const running = Object.keys(state.servers).filter((name) => isRunning(state.servers[name]));
    await Promise.all(running.map((name) => stopServer(state.servers[name])));
    writeState({ ports: state.ports, servers: {} });
    rmSync(join(STACK, 'env'), { force: true });
    if (wipe) for (const name of Object.keys(SERVERS)) rmSync(join(STACK, name), { recursive: true, force: true });
    return running;
  });
}

/** What runs, where. */
export function status() {
  const state = readState();
  const servers = /** @type {ServerName[]} */ (Object.keys(SERVERS)).map((name) => {
    const server = state.servers[name];
    const running = isRunning(server);
    return {
      name,
      running,
      pid: running ? (server?.pid ?? null) : null,
      port: state.ports[name] ?? null,
      log: join(STACK, name, `${name}.log`),
    };
  });
  const complete = servers.every((server) => server.running);
  return { running: complete, servers, environment: complete ? stackEnvironment(state.ports) : null };
}
