// `npm run stack -- up|down|status [--json]`: Kafka, Redis and a schema registry on loopback ports, from packages.
import { CommandFailed, script } from './setup/command.mjs';
import { checkNodeVersion } from './setup/node-version.mjs';
import { down, missingForStack, status, up } from './stack/stack.mjs';

const USAGE = `Usage: npm run stack -- <command> [--json]

  up [--throughput]   start what does not run yet, and print the environment to use (also in .stack/env)
  down [--wipe]       end what "up" started; --wipe also deletes its data
  status              what runs, where; exit 3 when not all of it does

Kafka 4.4 (KRaft), Redis and Apicurio Registry. Needs a JDK (17 or newer), Maven and redis-server.
--throughput starts the broker for benchmarks: fully compiled and with more memory.
`;

/** @param {Record<string, string>} environment */
const exports = (environment) =>
  Object.entries(environment)
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join('');

await script(async () => {
  const [command, ...flags] = process.argv.slice(2);
  const known = ['--json', ...(command === 'up' ? ['--throughput'] : []), ...(command === 'down' ? ['--wipe'] : [])];
  const unknown = flags.find((flag) => !known.includes(flag));
  if (unknown) throw new CommandFailed(`${unknown}: not an option of "${command}"\n\n${USAGE}`, 2);
  const json = flags.includes('--json');
  const print = (/** @type {unknown} */ value, /** @type {string} */ text) =>
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : text);

  checkNodeVersion();
  if (command === 'up') {
    const missing = missingForStack();
    if (missing.length > 0)
      throw new CommandFailed(`The stack needs:\n${missing.map((what) => `  - ${what}`).join('\n')}`, 1);
    const began = Date.now();
    const { environment, started } = await up({ throughput: flags.includes('--throughput') });
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    process.stderr.write(started.length === 0 ? 'It is up.\n' : `Started ${started.join(', ')} in ${seconds} s.\n`);
    print({ started, environment }, exports(environment));
  } else if (command === 'down') {
    const ended = await down({ wipe: flags.includes('--wipe') });
    print({ ended }, ended.length === 0 ? 'Nothing was running.\n' : `Ended ${ended.join(', ')}.\n`);
  } else if (command === 'status') {
    const now = status();
    const lines = now.servers.map(({ name, running, pid, port, log }) =>
      running ? `${name.padEnd(9)} up    port ${port}, pid ${pid}, log ${log}\n` : `${name.padEnd(9)} down\n`,
    );
    print(now, lines.join('') + (now.environment ? exports(now.environment) : ''));
    if (!now.running) process.exitCode = 3;
  } else {
    throw new CommandFailed(USAGE, 2);
  }
});
