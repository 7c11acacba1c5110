import { loadContracts } from '../../contracts/load.ts';
import { startHealthServer } from '../../observability/health-server.ts';
import type { ExitCode } from '../exit-codes.ts';
import { untilStopped } from '../until-stopped.ts';
import { createGatewayRole } from './gateway-role.ts';
import { recordEncoder } from './kafka-edge.ts';
import { openRole, type RoleOptions } from './open-role.ts';
import { persist } from './persist.ts';

export type GatewayCommandOptions = RoleOptions;

/** Runs the gateway until it is told to stop. Answers with the exit code. */
export const runGateway = async (options: GatewayCommandOptions): Promise<ExitCode> => {
  const { config, endpoints, logger, metrics } = openRole('gateway', options, ['kafka.brokers']);
  if (endpoints.length === 0) logger.warn('no endpoints are configured: every webhook is answered 404');
  if (config.gateway.api_keys.length === 0) logger.warn('gateway.api_keys is empty: the operations API answers 401');
  const contracts = loadContracts(config.contracts);

  return untilStopped(logger, config.processing.stop_timeout_ms, async () => {
    // A registry that is away holds up the start: until its schemas are known nothing can be written.
    const encoder = await persist({ config, logger }, () => recordEncoder(config));
    const role = createGatewayRole({ config, endpoints, contracts, encoder, logger, metrics });
    const server = await startHealthServer({
      ...config.http,
      metrics,
      readiness: () => role.readiness(),
      routes: role.routes,
      isGraceful: true,
      limits: {
        requestTimeoutMs: config.gateway.request_timeout_ms,
        headerBytesMax: config.gateway.header_bytes,
        connectionsMax: config.gateway.connections,
      },
    });
    logger.info({ address: server.address, endpoints: endpoints.length }, 'listening');
    return {
      stop: async () => {
        // What is at hand is published and answered before the connection to Kafka goes.
        await server.close();
        await role.stop();
      },
    };
  });
};
