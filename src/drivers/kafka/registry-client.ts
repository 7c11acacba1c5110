import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { RegistrySettings } from './registry-settings.ts';

/** The client library, with our deadline on each of its requests and without its own retries: who asks decides on those. */
export const connectRegistry = (settings: RegistrySettings): SchemaRegistry =>
  new SchemaRegistry({
    host: settings.url.replace(/\/+$/, ''),
    clientId: 'countersign',
    retry: { retries: 0 },
    ...(settings.username === undefined
      ? {}
      : { auth: { username: settings.username, password: settings.password ?? '' } }),
    middlewares: [
      () => ({
        prepareRequest: async (next) => (await next()).enhance({ timeout: settings.timeout_ms }),
      }),
    ],
  });

/** The HTTP status of an error that the client library throws; null where it had no answer. */
export const statusOf = (error: unknown): number | null => {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const { status } = error;
  return typeof status === 'number' ? status : null;
};
