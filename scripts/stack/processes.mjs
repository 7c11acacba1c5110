import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailed } from '../setup/command.mjs';
import { until } from './wait.mjs';

/**
 * A server process of ours. `born` is when the system says that the process began: a process id is given out again, the pair
 * is not.
 * @typedef {{ pid: number, born: string }} ServerProcess
 */

/** When the process began, in the system's own terms; null if there is none. @param {number} pid @returns {string | null} */
export function bornAt(pid) {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command's name, in brackets, may hold spaces and brackets. State is the first field after it, the start time the 20th.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    } catch {
      return null;
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** Whether this very process still runs. @param {ServerProcess | null | undefined} server */
export function isRunning(server) {
  return server !== null && server !== undefined && bornAt(server.pid) === server.born;
}

/**
 * Starts a server with its output in `logFile`.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ logFile: string, cwd?: string, env?: NodeJS.ProcessEnv, outlives?: boolean }} options `outlives`: goes on when we end
 * @returns {Promise<ServerProcess>}
 */
export async function startServer(command, args, { logFile, cwd, env, outlives = false }) {
  const log = openSync(logFile, 'a');
  try {
    const child = spawn(command, args, {
      ...(cwd ? { cwd } : {}),
      ...(env ? { env } : {}),
      detached: outlives,
      stdio: ['ignore', log, log],
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', () => resolve(undefined));
      child.once('error', (error) => reject(new CommandFailed(`${command}: ${error.message}`, 1)));
    });
    child.unref();
    const pid = child.pid ?? 0;
    const born = bornAt(pid);
    if (born === null) throw new CommandFailed(`${command} ended at once. ${tail(logFile)}`, 1);
    return { pid, born };
  } finally {
    closeSync(log);
  }
}

/**
 * Ends a server of ours: asks, waits, then insists. Does nothing to a process that only has its number.
 *
 * @param {ServerProcess | null | undefined} server
 * @param {{ graceMs?: number }} [options] 0: kill -9 at once
 */
export async function stopServer(server, { graceMs = 15_000 } = {}) {
  if (!server || !isRunning(server)) return;
  signal(server, graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
  const deadline = Date.now() + graceMs;
  while (isRunning(server) && Date.now() < deadline) await delay(20);
  signal(server, 'SIGKILL');
  await until(`process ${server.pid} to end`, () => !isRunning(server), { timeoutMs: 10_000, everyMs: 5 });
}

/** Sends a signal, if this very process still runs. @param {ServerProcess} server @param {NodeJS.Signals} name */
export function signal(server, name) {
  if (!isRunning(server)) return;
  try {
    process.kill(server.pid, name);
  } catch {
    // It ended between the question and the signal.
  }
}

/** The end of a log, for an error message. @param {string} logFile @param {number} [lines] */
export function tail(logFile, lines = 15) {
  try {
    const text = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
    return `The end of ${logFile}:\n${text}`;
  } catch {
    return `There is no ${logFile}.`;
  }
}
