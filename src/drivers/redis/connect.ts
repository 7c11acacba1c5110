import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { z } from 'zod';
import type { redisSection } from '../../config/redis.ts';
import { OperatingError } from '../../errors.ts';
import { RedisConnection } from './connection.ts';

/** The `redis` section of the configuration, as it was loaded. */
export type RedisSettings = z.infer<typeof redisSection>;

/** Milliseconds until the next attempt to connect. */
const retryDelay = (attempts: number): number => Math.min(50 * 2 ** Math.min(attempts, 6), 2000);

interface Address {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 6379;

/** `host:port` with IPv6 hosts in brackets. */
const addressOf = (text: string): Address => {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
};

const tlsOf = ({ tls }: RedisSettings, url: URL): Pick<RedisOptions, 'tls'> => {
  if (!tls.enabled && url.protocol !== 'rediss:') return {};
  return {
    tls: {
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
    },
  };
};

const credentialsOf = (settings: RedisSettings, url: URL): Pick<RedisOptions, 'username' | 'password'> => {
  const username = settings.username ?? decodeURIComponent(url.username);
  const password = settings.password ?? decodeURIComponent(url.password);
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
};

/**
 * A connection to the Redis or Redis Cluster that the settings name; it connects when it is first used. A command whose
 * connection is lost fails at once and is not sent again, save by a cluster client that follows its slot; every script is
 * harmless when it is sent twice.
 */
export const createRedis = (settings: RedisSettings): RedisConnection => {
  if (settings.url === undefined)
    throw new OperatingError('CONFIG_INVALID', 'redis.url is missing; it must be a URL like redis://host:6379');
  const url = new URL(settings.url);
  const options = {
    ...credentialsOf(settings, url),
    ...tlsOf(settings, url),
    connectTimeout: settings.connect_timeout_ms,
    connectionName: 'countersign',
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  };
  const first = addressOf(url.host);
  const client = settings.cluster
    ? new Cluster([first, ...settings.nodes.map(addressOf)], {
        redisOptions: options,
        clusterRetryStrategy: retryDelay,
        slotsRefreshTimeout: settings.connect_timeout_ms,
        lazyConnect: true,
      })
    : new Redis({
        ...options,
        ...first,
        db: Number(url.pathname.slice(1)),
        retryStrategy: retryDelay,
        lazyConnect: true,
      });
  return new RedisConnection(client, settings.command_timeout_ms);
};
