import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import { addListenOptions, configOption, contractsOption, roleExitCodes } from './role-options.ts';
import type { GatewayCommandOptions } from './roles/run-gateway.ts';

const HELP = `
Takes the providers' webhooks and operations by HTTP, and publishes them to Kafka. Nothing that does not prove itself is published;
2xx is answered only once the record is kept. Run as many of it as you like.

  POST /webhooks/<provider>/<endpoint>   a webhook, as the provider sends it
  POST /v1/operations                    what is intended (API key)
  POST /v1/operations/<id>/action        what the provider answered (API key)
  GET  /v1/operations/<id>               verdict, conditions and timeline (API key; needs redis.url)
  GET  /openapi.json /healthz /readyz /metrics

Examples:
  $ countersign api-key payments --scope operations:write --scope operations:read
  $ countersign gateway --config countersign.yaml --port 8081
`;

export const registerGateway = (program: Command, finish: (code: ExitCode) => void): void => {
  addListenOptions(program.command('gateway'))
    .description('run the webhook gateway and the operations API: HTTP in, records out to Kafka')
    .addOption(configOption())
    .addOption(contractsOption())
    .addHelpText('after', HELP + roleExitCodes())
    .action(async (options: GatewayCommandOptions) => {
      const { runGateway } = await import('./roles/run-gateway.ts');
      finish(await runGateway(options));
    });
};
