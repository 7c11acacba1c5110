import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { parseInstantOption } from './instant-option.ts';
import { configOption, contractsOption, trustGatewayOption } from './role-options.ts';
import type { HandoffPlace, HandoffPlanOptions } from './roles/run-handoff.ts';

const HELP = `
A plan links one refund to the sealed receipt of its charge, within what is left of it, under a refund authority that is good once. It
moves no money and calls no provider. The request goes through the log to the payment's shard, which alone grants plans; on log files it
is worked out and kept nowhere.

Examples:
  $ countersign handoff plan --kafka --config countersign.yaml --charge rcpt-1 --amount 20.00 --currency AUD \\
      --rail stripe --counterparty cus_1 --reason "one of two returned" --authority authority.jws
  $ countersign handoff plan --data .countersign --request request.json
  $ countersign handoff plan --config issuers.yaml --request request.json records.jsonl --json
`;

const withPlace = (command: Command): Command =>
  command
    .argument('[logs...]', 'record logs to plan on, instead of a server')
    .addOption(configOption())
    .addOption(contractsOption())
    .addOption(new Option('--kafka', 'through Kafka and Redis').conflicts(['url', 'data']))
    .addOption(
      new Option('--url <url>', 'a running `serve` or `gateway`; its key in COUNTERSIGN_API_KEY').conflicts('data'),
    )
    .addOption(new Option('--data <dir>', 'the data folder of `countersign serve`, running or not'))
    .addOption(trustGatewayOption())
    .addOption(new Option('--json', 'JSON'));

const exitCodes = exitCodesHelp({
  [EXIT.ok]: 'there is a plan',
  [EXIT.failed]: 'a server does not answer, or has not decided yet',
  [EXIT.usage]: 'the command line, the request or the configuration is not right',
  [EXIT.notProven]: 'refused; every reason is told',
});

/** `countersign handoff plan|show` */
export const registerHandoff = (program: Command, finish: (code: ExitCode) => void): void => {
  const group = program.command('handoff').description('plan a refund against a sealed charge, before it is made');
  withPlace(group.command('plan').description('ask for a plan'))
    .addOption(
      new Option('--request <file>', 'the request as JSON, as POST /v1/handoffs takes it; - is standard input'),
    )
    .addOption(new Option('--charge <ref>', 'the reference of the charge receipt'))
    .addOption(new Option('--amount <decimal>', 'how much, in major units'))
    .addOption(new Option('--currency <code>', 'in which currency'))
    .addOption(new Option('--rail <rail>', 'mock, mpp, stripe, paypal, square or shopify'))
    .addOption(new Option('--counterparty <payer>', 'to whom: the payer of the charge'))
    .addOption(new Option('--reason <text>', 'why'))
    .addOption(new Option('--authority <file>', 'a file with the refund authority, a JWS in compact form'))
    .addOption(
      new Option('--at <instant>', 'of log files: the time of the request (default: now)').argParser(
        parseInstantOption,
      ),
    )
    .addHelpText('after', HELP + exitCodes)
    .action(async (logs: string[], options: HandoffPlanOptions) => {
      const { planHandoff } = await import('./roles/run-handoff.ts');
      finish(await planHandoff(logs, options));
    });
  withPlace(group.command('show').argument('<id>', 'the handoff id').description('show the answer to a request'))
    .addHelpText('after', exitCodes)
    .action(async (id: string, logs: string[], options: HandoffPlace) => {
      const { showHandoff } = await import('./roles/run-handoff.ts');
      finish(await showHandoff(id, logs, options));
    });
};
