import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STACK } from './paths.mjs';
import { bornAt, isRunning } from './processes.mjs';
import { until } from './wait.mjs';

/**
 * What the stack remembers between two calls: its ports, for ever, and the processes that it started.
 * @typedef {{ ports: Record<string, number>, servers: Record<string, import('./processes.mjs').ServerProcess> }} StackState
 */

const FILE = join(STACK, 'state.json');
const LOCK = join(STACK, 'lock');

/** @returns {StackState} */
export function readState() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return { ports: {}, servers: {} };
  }
}

/** @param {StackState} state */
export function writeState(state) {
  mkdirSync(STACK, { recursive: true });
  writeFileSync(`${FILE}.new`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${FILE}.new`, FILE);
}

function takeLock() {
  try {
    const file = openSync(LOCK, 'wx');
    writeFileSync(file, JSON.stringify({ pid: process.pid, born: bornAt(process.pid) }));
    closeSync(file);
    return true;
  } catch {
    try {
      if (!isRunning(JSON.parse(readFileSync(LOCK, 'utf8')))) rmSync(LOCK, { force: true });
    } catch {
      // Just made and not yet written, or just taken away.
    }
    return false;
  }
}

/**
 * Runs `work` while no other process starts or stops the stack. A lock whose holder has died is taken over.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(work) {
  mkdirSync(STACK, { recursive: true });
  await until(`the lock ${LOCK} (another start or stop runs; if not, delete it)`, takeLock, {
    timeoutMs: 600_000,
    everyMs: 100,
  });
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}
