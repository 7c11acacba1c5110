import kafkajs, { type Kafka, type RetryOptions, type SASLOptions } from 'kafkajs';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { kafkaSection } from '../../config/kafka.ts';
import { OperatingError } from '../../errors.ts';
import { clientLog } from './client-log.ts';
import { createOauthTokenProvider } from './oauth-token.ts';
import { installWireCodec } from './wire/install.ts';

/** The `kafka` section of the configuration, as it was loaded. */
export type KafkaSettings = z.infer<typeof kafkaSection>;

const { logLevel } = kafkajs;

const need = (value: string | undefined, key: string, mechanism: string): string => {
  if (value === undefined) {
    throw new OperatingError('CONFIG_INVALID', `kafka.sasl.${key} is missing; ${mechanism} wants it`);
  }
  return value;
};

const saslOptions = (settings: KafkaSettings): SASLOptions | undefined => {
  const { sasl } = settings;
  if (sasl === undefined) return undefined;
  const { mechanism } = sasl;
  if (mechanism === 'oauthbearer') {
    const provider = createOauthTokenProvider({
      tokenUrl: need(sasl.token_url, 'token_url', mechanism),
      clientId: need(sasl.client_id, 'client_id', mechanism),
      clientSecret: need(sasl.client_secret, 'client_secret', mechanism),
      timeoutMs: settings.request_timeout_ms,
      ...(sasl.scope === undefined ? {} : { scope: sasl.scope }),
    });
    return { mechanism, oauthBearerProvider: provider };
  }
  const credentials = {
    username: need(sasl.username, 'username', mechanism),
    password: need(sasl.password, 'password', mechanism),
  };
  return { mechanism, ...credentials } as SASLOptions;
};

const tlsOptions = ({ tls }: KafkaSettings) =>
  tls.enabled
    ? {
        rejectUnauthorized: true,
        ...(tls.ca === undefined ? {} : { ca: [tls.ca] }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert }),
        ...(tls.key === undefined ? {} : { key: tls.key }),
      }
    : false;

/**
 * A client of the cluster that the settings name; it connects when it is first used. Make one for each group member in a
 * process: KafkaJS keeps committed offsets by client object. Its errors and warnings go to `logger`, a level lower, because
 * whoever called decides how bad they are.
 * @param retry the patience of everything that this client makes; the client's own (300 ms, five times) unless given
 */
export const connectKafka = (settings: KafkaSettings, logger: Logger, retry?: RetryOptions): Kafka => {
  if (settings.brokers.length === 0) {
    throw new OperatingError('CONFIG_INVALID', 'kafka.brokers is empty; it must name at least one host:port');
  }
  const sasl = saslOptions(settings);
  installWireCodec();
  return new kafkajs.Kafka({
    brokers: [...settings.brokers],
    clientId: settings.client_id,
    connectionTimeout: settings.connection_timeout_ms,
    requestTimeout: settings.request_timeout_ms,
    ssl: tlsOptions(settings),
    ...(sasl === undefined ? {} : { sasl }),
    ...(retry === undefined ? {} : { retry }),
    logLevel: logger.isLevelEnabled('debug') ? logLevel.DEBUG : logLevel.WARN,
    logCreator: () => clientLog(logger.child({ component: 'kafka' })),
  });
};
