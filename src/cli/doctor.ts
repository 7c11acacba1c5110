import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { configOption } from './role-options.ts';
import type { DoctorOptions } from './roles/run-doctor.ts';

const HELP = `
Looks at configuration, contracts, the endpoints' secrets, the keys of receipts, whether the providers take the accounts'
credentials, brokers, topics, partition counts, retention, who may write what, schemas, Redis (eviction, persistence, cluster),
whether state and topics belong together, and the servers' clocks. It changes nothing; only --probe makes a topic of its own for a
moment, to ask the brokers for their time. --offline asks nobody: neither servers nor providers.

Examples:
  $ countersign doctor --config countersign.yaml
  $ countersign doctor --json | jq '.checks[] | select(.status == "fail")'
`;

export const registerDoctor = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('doctor')
    .description('check servers, topics, schemas, permissions, clocks and configuration, and say what to do')
    .addOption(configOption())
    .addOption(new Option('--probe', 'also ask the brokers for their time, with a topic of its own'))
    .addOption(new Option('--offline', 'ask neither servers nor providers').conflicts('probe'))
    .addOption(new Option('--json', 'one JSON object instead of lines'))
    .addHelpText(
      'after',
      HELP +
        exitCodesHelp({ [EXIT.ok]: 'nothing is wrong; there may be warnings', [EXIT.failed]: 'something is wrong' }),
    )
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./roles/run-doctor.ts');
      finish(await doctor(options));
    });
};
