import { Command } from 'commander';
import { registerApiKey } from './api-key.ts';
import { registerContracts } from './contracts.ts';
import { registerDeadLetter } from './dead-letter.ts';
import { registerDemo } from './demo.ts';
import { registerDoctor } from './doctor.ts';
import type { ExitCode } from './exit-codes.ts';
import { registerExplain } from './explain.ts';
import { registerGateway } from './gateway.ts';
import { registerHandoff } from './handoff.ts';
import { registerKeys } from './keys.ts';
import { registerProcess } from './process.ts';
import { registerReadback } from './readback.ts';
import { registerRebuild } from './rebuild.ts';
import { registerReceipts } from './receipts.ts';
import { registerReplay } from './replay.ts';
import { registerReview } from './review.ts';
import { registerSandbox } from './sandbox.ts';
import { registerServe } from './serve.ts';
import { registerTopics } from './topics.ts';
import { version } from './version.ts';

/** The whole command line. `finish` hears the exit code of the command that ran. */
export const buildProgram = (finish: (code: ExitCode) => void): Command => {
  const program = new Command('countersign')
    .description('An independent second signature on every refund.')
    .version(version())
    .showHelpAfterError('(--help says more)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  registerDemo(program, finish);
  registerReplay(program, finish);
  registerExplain(program, finish);
  registerContracts(program, finish);
  registerServe(program, finish);
  registerProcess(program, finish);
  registerGateway(program, finish);
  registerReadback(program, finish);
  registerApiKey(program, finish);
  registerTopics(program, finish);
  registerReceipts(program, finish);
  registerKeys(program, finish);
  registerDeadLetter(program, finish);
  registerDoctor(program, finish);
  registerReview(program, finish);
  registerHandoff(program, finish);
  registerRebuild(program, finish);
  registerSandbox(program, finish);
  return program;
};
