import { z } from 'zod';
import { accountSchema } from './account-schema.ts';
import { endpointSchema } from './endpoint-schema.ts';
import { gatewaySection } from './gateway.ts';
import { handoffSection } from './handoff.ts';
import { kafkaSection } from './kafka.ts';
import { limitsSection, processingSection } from './processing.ts';
import { readbackSection } from './readback.ts';
import { receiptsSection } from './receipts.ts';
import { redisSection } from './redis.ts';
import { registrySection } from './registry.ts';
import { checkTogether } from './rules.ts';
import { sealsSection } from './seals.ts';
import { setting } from './setting.ts';

const http = z
  .strictObject({
    host: setting(z.string().min(1).default('127.0.0.1'), {
      env: 'COUNTERSIGN_HTTP_HOST',
      wants: 'an address to listen on',
      doc: 'Where a role listens: `/healthz`, `/readyz`, `/metrics`, and what else it answers; 0.0.0.0 in a container.',
    }),
    port: setting(z.int().min(0).max(65_535).default(8080), {
      env: 'COUNTERSIGN_HTTP_PORT',
      wants: 'a port, 0 for any free one',
      doc: 'Its port.',
    }),
  })
  .prefault({});

const log = z
  .strictObject({
    level: setting(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'), {
      env: 'COUNTERSIGN_LOG_LEVEL',
      wants: 'trace, debug, info, warn, error, fatal or silent',
      doc: 'What is worth a line.',
    }),
  })
  .prefault({});

/**
 * The whole configuration, over file and environment. Every key says its environment variable, what it wants and what it is
 * for; the reference page is made from that. Keys read the same in the file, in errors and in code.
 */
export const configSchema = z
  .strictObject({
    kafka: kafkaSection,
    redis: redisSection,
    registry: registrySection,
    processing: processingSection,
    limits: limitsSection,
    seals: sealsSection,
    receipts: receiptsSection,
    gateway: gatewaySection,
    readback: readbackSection,
    handoff: handoffSection,
    http,
    log,
    contracts: setting(z.string().min(1).optional(), {
      env: 'COUNTERSIGN_CONTRACTS',
      wants: 'a folder',
      doc: 'The completion contracts. Default: those that are shipped.',
    }),
    data: setting(z.string().min(1).default('.countersign'), {
      env: 'COUNTERSIGN_DATA',
      wants: 'a folder',
      doc: 'Where the embedded mode keeps its journal.',
    }),
    endpoints: setting(z.array(endpointSchema).default([]), {
      env: 'COUNTERSIGN_ENDPOINTS',
      wants: 'a list of endpoints (in the environment: as JSON)',
      doc: "The webhook endpoints and their secrets; see the providers' pages.",
      secret: true,
    }),
    accounts: setting(z.array(accountSchema).default([]), {
      env: 'COUNTERSIGN_ACCOUNTS',
      wants: 'a list of accounts (in the environment: as JSON)',
      doc: 'The accounts whose refunds are read at their providers, with their credentials; see [accounts](accounts.md).',
      secret: true,
    }),
    test_mode: setting(z.boolean().default(false), {
      env: 'COUNTERSIGN_TEST_MODE',
      wants: 'true or false',
      doc: "Take events of the providers' simulators. Never where money is real.",
    }),
  })
  .superRefine(checkTogether);

/** A checked configuration with every default filled in. */
export type Config = z.output<typeof configSchema>;
