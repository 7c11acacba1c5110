import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { portOption } from './port-option.ts';
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
  program
    .command('serve')
    .description('run everything in one process, on the embedded drivers or with --kafka on the real ones')
    .addOption(
      new Option('--config <file>', 'the configuration (YAML); default: $COUNTERSIGN_CONFIG, else the environment'),
    )
    .addOption(new Option('--trust-gateway', 'take the gateway’s word that webhooks are authentic'))
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
    .addOption(new Option('--host <address>', 'listen here (default: http.host, 127.0.0.1)'))
    .addOption(
      new Option('--port <port>', 'listen on this port; 0: any free one (default: http.port)').argParser(portOption),
    )
    .addHelpText(
      'after',
      HELP +
        exitCodesHelp({
          [EXIT.ok]: 'it was told to stop, and has finished what was at hand',
          [EXIT.failed]: 'it could not go on, or not stop in time',
          [EXIT.usage]: 'the command line or the configuration is not right',
        }),
    )
    .action(async (options: ServeOptions) => {
      const { runServe } = await import('./roles/run-serve.ts');
      finish(await runServe(options));
    });
};
