import { z } from 'zod';
import { setting } from './setting.ts';
import { tlsSection } from './tls.ts';
import { hostAndPort, milliseconds, plainName, urlOf } from './types.ts';

const tls = tlsSection({
  env: 'COUNTERSIGN_REDIS_TLS',
  doc: 'Talk TLS. A `rediss://` URL does as well.',
  peers: 'the server',
  ask: 'the server asks',
});

/** How to reach Redis. It must be set to `noeviction`: state that is thrown out is a duplicate that is missed. */
export const redisSection = z
  .strictObject({
    url: setting(urlOf('redis', 'rediss').optional(), {
      env: 'COUNTERSIGN_REDIS_URL',
      wants: 'a URL like redis://host:6379 or rediss://host:6379/0',
      doc: 'The server, or with `cluster` one of its nodes. The roles on Kafka need it.',
    }),
    cluster: setting(z.boolean().default(false), {
      env: 'COUNTERSIGN_REDIS_CLUSTER',
      wants: 'true or false',
      doc: 'Redis Cluster.',
    }),
    nodes: setting(z.array(hostAndPort).default([]), {
      env: 'COUNTERSIGN_REDIS_NODES',
      wants: 'host:port, several separated by commas',
      doc: 'With `cluster`: further nodes to ask for the map, should the one in `url` be down.',
    }),
    username: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_REDIS_USERNAME',
      wants: 'an ACL user',
      doc: 'Wins over the one in `url`.',
    }),
    password: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_REDIS_PASSWORD',
      wants: 'a password',
      doc: 'Wins over the one in `url`.',
      secret: true,
    }),
    prefix: setting(plainName.default('countersign'), {
      env: 'COUNTERSIGN_REDIS_PREFIX',
      wants: 'letters, digits, ".", "_" and "-", at most 128',
      doc: 'Begins every key, inside the hash tag; a rebuilt state goes under another.',
    }),
    connect_timeout_ms: setting(milliseconds(100).default(10_000), {
      env: 'COUNTERSIGN_REDIS_CONNECT_TIMEOUT_MS',
      wants: 'milliseconds, at least 100',
      doc: 'To connect.',
    }),
    command_timeout_ms: setting(milliseconds(100).default(10_000), {
      env: 'COUNTERSIGN_REDIS_COMMAND_TIMEOUT_MS',
      wants: 'milliseconds, at least 100',
      doc: 'For one command; past it the shard pauses and asks again.',
    }),
    tls,
  })
  .prefault({});
