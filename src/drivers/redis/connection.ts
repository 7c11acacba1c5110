import { faultOf, stateUnavailable } from './redis-error.ts';
import { defineScripts, type RedisClient, runScript, type ScriptArgument, type ScriptName } from './scripts.ts';

/** A client of one Redis or Redis Cluster whose every failure is STATE_UNAVAILABLE, and none takes longer than the deadline. */
export class RedisConnection {
  readonly client: RedisClient;
  readonly #deadlineMs: number;
  #fault: string | null = null;

  constructor(client: RedisClient, deadlineMs: number) {
    this.client = client;
    this.#deadlineMs = deadlineMs;
    defineScripts(client);
    client.on('error', (error) => {
      this.#fault = faultOf(error);
    });
    client.on('ready', () => {
      this.#fault = null;
    });
  }

  /** @param what what is asked for, for the error: "could not …" */
  async ask<T>(what: string, call: (client: RedisClient) => Promise<T>): Promise<T> {
    // Not the client's own time limit: on a cluster that one does not count the waiting for a node to come back.
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('Command timed out')), this.#deadlineMs);
    });
    try {
      return await Promise.race([call(this.client), deadline]);
    } catch (error) {
      if (error instanceof TypeError) throw error;
      throw stateUnavailable(what, error, this.#fault);
    } finally {
      clearTimeout(timer);
    }
  }

  run(what: string, script: ScriptName, keys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> {
    return this.ask(what, (client) => runScript(client, script, keys, args));
  }

  /** As {@link run}, with the answer's texts as bytes. */
  runBinary(
    what: string,
    script: ScriptName,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ): Promise<unknown> {
    return this.ask(what, (client) => runScript(client, script, keys, args, 'Buffer'));
  }

  /** Ends the connection after the answers still under way. */
  async close(): Promise<void> {
    try {
      await this.ask('end the connection', (client) => client.quit());
    } catch {
      // It is gone already.
    }
    this.client.disconnect();
  }
}
