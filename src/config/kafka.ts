import { z } from 'zod';
import { setting } from './setting.ts';
import { tlsSection } from './tls.ts';
import { hostAndPort, milliseconds, plainName, urlOf } from './types.ts';

const tls = tlsSection({
  env: 'COUNTERSIGN_KAFKA_TLS',
  doc: 'Talk TLS to the brokers.',
  peers: 'the brokers',
  ask: 'the brokers ask',
});

const sasl = z
  .strictObject({
    mechanism: setting(z.enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']), {
      env: 'COUNTERSIGN_SASL_MECHANISM',
      wants: 'plain, scram-sha-256, scram-sha-512 or oauthbearer',
      doc: 'How to log in. Without the section: not at all.',
    }),
    username: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_SASL_USERNAME',
      wants: 'a user name',
      doc: 'For plain and scram.',
    }),
    password: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_SASL_PASSWORD',
      wants: 'a password',
      doc: 'For plain and scram.',
      secret: true,
    }),
    token_url: setting(urlOf('https', 'http').optional(), {
      env: 'COUNTERSIGN_SASL_TOKEN_URL',
      wants: 'an http(s) URL',
      doc: 'For oauthbearer: where a token is fetched with the client credentials grant.',
    }),
    client_id: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_SASL_CLIENT_ID',
      wants: 'a client id',
      doc: 'For oauthbearer.',
    }),
    client_secret: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_SASL_CLIENT_SECRET',
      wants: 'a client secret',
      doc: 'For oauthbearer.',
      secret: true,
    }),
    scope: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_SASL_SCOPE',
      wants: 'an OAuth scope',
      doc: 'For oauthbearer, where the token service asks for one.',
    }),
  })
  .optional();

/** How to reach Kafka, and how to take part in its groups. */
export const kafkaSection = z
  .strictObject({
    brokers: setting(z.array(hostAndPort).default([]), {
      env: 'COUNTERSIGN_BROKERS',
      wants: 'host:port, several separated by commas',
      doc: 'Where to find the cluster. The roles on Kafka need it.',
    }),
    client_id: setting(plainName.default('countersign'), {
      env: 'COUNTERSIGN_CLIENT_ID',
      wants: 'letters, digits, ".", "_" and "-", at most 128',
      doc: 'The name by which the brokers log us and quotas know us.',
    }),
    group: setting(plainName.default('countersign'), {
      env: 'COUNTERSIGN_GROUP',
      wants: 'letters, digits, ".", "_" and "-", at most 128',
      doc: 'The consumer group. It also begins the transactional ids.',
    }),
    topic_prefix: setting(
      z
        .string()
        .regex(/^[A-Za-z0-9._-]{0,100}$/)
        .default(''),
      {
        env: 'COUNTERSIGN_TOPIC_PREFIX',
        wants: 'letters, digits, ".", "_" and "-", at most 100',
        doc: 'Goes before every topic name, as it is.',
      },
    ),
    partitions: setting(z.int().min(1).max(10_000).default(12), {
      env: 'COUNTERSIGN_PARTITIONS',
      wants: 'a whole number from 1 to 10000',
      doc: 'Partitions of each topic that `topics create` makes. Changing it later is a `rebuild` under a new prefix.',
    }),
    replication: setting(z.int().min(1).max(32).default(3), {
      env: 'COUNTERSIGN_REPLICATION',
      wants: 'a whole number from 1 to 32',
      doc: 'Copies of each topic that `topics create` makes; at most as many as there are brokers.',
    }),
    transactional: setting(z.boolean().default(true), {
      env: 'COUNTERSIGN_TRANSACTIONAL',
      wants: 'true or false',
      doc: 'Publish verdicts in transactions: each revision exactly once at read_committed. Off: at least once, with ids that repeat.',
    }),
    heartbeat_interval_ms: setting(milliseconds(100).default(3_000), {
      env: 'COUNTERSIGN_HEARTBEAT_INTERVAL_MS',
      wants: 'milliseconds, at least 100 and less than session_timeout_ms',
      doc: 'How often a member says that it is alive.',
    }),
    session_timeout_ms: setting(milliseconds(500).default(30_000), {
      env: 'COUNTERSIGN_SESSION_TIMEOUT_MS',
      wants: 'milliseconds, more than heartbeat_interval_ms and less than rebalance_timeout_ms',
      doc: 'After this long without a heartbeat a member is out and its partitions go to others.',
    }),
    rebalance_timeout_ms: setting(milliseconds(1_000).default(60_000), {
      env: 'COUNTERSIGN_REBALANCE_TIMEOUT_MS',
      wants: 'milliseconds, more than session_timeout_ms',
      doc: 'How long members have to finish their batches and come back when the group changes.',
    }),
    fetch_max_wait_ms: setting(milliseconds(1).default(100), {
      env: 'COUNTERSIGN_FETCH_MAX_WAIT_MS',
      wants: 'milliseconds, at least 1',
      doc: 'How long a broker may hold back an answer for want of data. A partition that is resumed waits this out.',
    }),
    fetch_max_bytes: setting(z.int().min(1_024).default(4_194_304), {
      env: 'COUNTERSIGN_FETCH_MAX_BYTES',
      wants: 'bytes, at least limits.record_bytes',
      doc: 'Most that one fetch takes from one partition.',
    }),
    connection_timeout_ms: setting(milliseconds(100).default(10_000), {
      env: 'COUNTERSIGN_KAFKA_CONNECTION_TIMEOUT_MS',
      wants: 'milliseconds, at least 100',
      doc: 'To connect to a broker.',
    }),
    request_timeout_ms: setting(milliseconds(100).default(30_000), {
      env: 'COUNTERSIGN_KAFKA_REQUEST_TIMEOUT_MS',
      wants: 'milliseconds, at least 100',
      doc: 'For one request to a broker.',
    }),
    tls,
    sasl,
  })
  .prefault({});
