import { spawn } from 'node:child_process';
import { ROOT } from './paths.mjs';

/** A command that could not be started or did not end with 0. The message is for a person; there is no need of a stack. */
export class CommandFailed extends Error {
  /** @param {string} message @param {number} exitCode */
  constructor(message, exitCode) {
    super(message);
    this.name = 'CommandFailed';
    this.exitCode = exitCode;
  }
}

/**
 * Runs a command to its end.
 *
 * `quiet` keeps its output back and shows it only when the command fails: set-up has nothing to say when it works.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean, hint?: string }} [options] `hint`: what to do when it fails
 * @returns {Promise<string>} stdout and stderr, when quiet; else ''
 */
export function run(command, args, { cwd = ROOT, env = process.env, quiet = false, hint } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    // A terminal sends Ctrl-C to the child as well; we only wait for it to end, so that it can clean up.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    const forward = () => child.kill('SIGTERM');
    process.on('SIGTERM', forward);
    const ended = () => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
    };
    const shown = [command.split('/').pop(), ...args].join(' ');
    child.once('error', (error) => {
      ended();
      reject(new CommandFailed(`${shown}: ${error.message}${hint ? `\n${hint}` : ''}`, 1));
    });
    child.once('close', (code, signal) => {
      ended();
      if (code === 0) return resolve(output);
      // A command that spoke for itself has had the last word.
      if (!quiet) return reject(new CommandFailed('', code ?? 1));
      const how = signal ? `was ended by ${signal}` : `ended with ${code}`;
      reject(new CommandFailed(`${output}${shown} ${how}${hint ? `\n${hint}` : ''}`, code ?? 1));
    });
  });
}

/**
 * The frame of every script: runs `main`, prints what went wrong in one line and leaves with its exit code.
 *
 * @param {() => Promise<void>} main
 */
export async function script(main) {
  try {
    await main();
  } catch (error) {
    const text = error instanceof CommandFailed ? error.message : error instanceof Error ? error.stack : String(error);
    if (text) process.stderr.write(`${text}\n`);
    process.exitCode = error instanceof CommandFailed ? error.exitCode : 1;
  }
}
