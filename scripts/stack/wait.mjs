import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailed } from '../setup/command.mjs';

/**
 * Asks until the answer is yes, for servers that tell nobody when they are ready. A check that throws is a no.
 *
 * @param {string} what for the error
 * @param {() => Promise<boolean> | boolean} check
 * @param {{ timeoutMs: number, everyMs?: number, gone?: () => string | null }} options `gone`: why there is no use in waiting on
 */
export async function until(what, check, { timeoutMs, everyMs = 50, gone = () => null }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last = 'the answer is still no';
    try {
      if (await check()) return;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    const reason = gone();
    if (reason !== null) throw new CommandFailed(`${what}: ${reason}`, 1);
    if (Date.now() > deadline) throw new CommandFailed(`${what}: not within ${timeoutMs / 1000} s (${last})`, 1);
    await delay(everyMs);
  }
}
