import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { portOption } from './port-option.ts';
import type { SandboxCommandOptions } from './roles/run-sandbox.ts';

const HELP = `
PayPal, Square, Shopify and Stripe as far as refunds go, on this machine: their calls, their errors, their signed webhooks. Nothing
here reaches a provider. A scenario says what goes wrong; the same seed gives the same run.

  POST /v2/payments/captures/<id>/refund …   PayPal         POST /v2/refunds …                           Square
  POST /v1/refunds …                         Stripe         POST /admin/api/<version>/graphql.json       Shopify
  POST /_sandbox/payments, /refunds, /fail, /reverse, /advance …   what a test does to it; GET /_sandbox/state

Examples:
  $ countersign sandbox --print-config > sandbox.yaml       once: accounts, endpoints, hosts
  $ countersign sandbox --scenario examples/scenarios/eventual.yaml &
  $ countersign serve --config sandbox.yaml
`;

const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 0xffff_ffff)
    throw new InvalidArgumentError(`It was "${text}", it should be a whole number from 0 to 4294967295.`);
  return value;
};

const speed = (text: string): number => {
  const value = Number(text);
  if (!(value >= 1 && value <= 1_000))
    throw new InvalidArgumentError(`It was "${text}", it should be a number from 1 to 1000.`);
  return value;
};

const origin = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError(`It was "${text}", it should be a URL like http://127.0.0.1:8080.`);
};

export const registerSandbox = (program: Command, finish: (code: ExitCode) => void): void => {
  program
    .command('sandbox')
    .description('stand in for PayPal, Square, Shopify and Stripe on this machine')
    .addOption(new Option('--scenario <file>', 'what goes otherwise than usual (YAML)'))
    .addOption(new Option('--seed <number>', "in place of the scenario's").argParser(wholeNumber))
    .addOption(new Option('--host <address>', 'listen here').default('127.0.0.1'))
    .addOption(new Option('--port <port>', 'listen on this port; 0: any free one').argParser(portOption).default(8090))
    .addOption(
      new Option('--webhooks-to <url>', 'where Countersign listens: events go to <url>/webhooks/<provider>/default')
        .argParser(origin)
        .default('http://127.0.0.1:8080'),
    )
    .addOption(new Option('--speed <factor>', 'let its clock run faster').argParser(speed).conflicts('manualClock'))
    .addOption(new Option('--manual-clock', 'let its clock stand still until POST /_sandbox/advance moves it'))
    .addOption(new Option('--print-config', 'print the Countersign configuration that goes with it, and end'))
    .addOption(new Option('--json', 'with --print-config: as JSON'))
    .addHelpText(
      'after',
      HELP +
        exitCodesHelp({
          [EXIT.ok]: 'it was told to stop; or the configuration is printed',
          [EXIT.failed]: 'it could not go on',
          [EXIT.usage]: 'the command line or the scenario is not right',
        }),
    )
    .action(async (options: SandboxCommandOptions) => {
      const { runSandbox } = await import('./roles/run-sandbox.ts');
      finish(await runSandbox(options));
    });
};
