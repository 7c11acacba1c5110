import { type Command, Option } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import { addListenOptions, configOption, contractsOption, roleExitCodes, trustGatewayOption } from './role-options.ts';
import type { ServeOptions } from './roles/run-serve.ts';

const HELP = `
Everything in one process. Without --kafka no server is needed: records are kept in a journal on disk, verdicts in a file. A
killed process goes on where it was, and writes no revision twice.

Records come by HTTP, on standard input (--stdin) and from files that grow (--follow), as JSON: one record a line, as the record
itself ({"kind":"operation.started",…}) or as a line of a record log ({"topic":…,"value":…}).

  POST /v1/records            one record (application/json) or lines (application/x-ndjson); 202 says what became of each
  POST /webhooks/<provider>/<endpoint>, /v1/operations, /v1/operations/<id>/action: as \`countersign gateway\`
  GET  /v1/operations         last verdicts; ?verdict=… ?escalated=true ?payment_key=…
  GET  /v1/operations/<id>    an operation's verdict, conditions and timeline
  GET  /healthz /readyz /metrics

Examples:
  $ countersign serve --config countersign.yaml
  $ countersign serve --data /var/lib/countersign --follow /var/log/refunds.jsonl --verdicts /var/lib/ledger/verdicts.jsonl
  $ curl -H 'content-type: application/json' --data @record.json http://127.0.0.1:8080/v1/records
  $ countersign serve --kafka --config countersign.yaml
`;

export const registerServe = (program: Command, finish: (code: ExitCode) => void): void => {
  addListenOptions(program.command('serve'))
    .description('run everything in one process, on the embedded drivers or with --kafka on the real ones')
    .addOption(configOption())
    .addOption(contractsOption())
    .addOption(trustGatewayOption())
    .addOption(new Option('--kafka', 'on Kafka and Redis, as `countersign process`'))
    .addOption(
      new Option(
        '--data <dir>',
        'where journal, verdicts and dead letters are kept (default: the configuration’s, .countersign)',
      ),
    )
    .addOption(new Option('--verdicts <file>', 'add verdicts to this file instead of printing them'))
    .addOption(new Option('--stdin', 'take records from standard input'))
    .addOption(new Option('--follow <file...>', 'take records from files, as they grow'))
    .addHelpText('after', HELP + roleExitCodes())
    .action(async (options: ServeOptions) => {
      const { runServe } = await import('./roles/run-serve.ts');
      finish(await runServe(options));
    });
};
