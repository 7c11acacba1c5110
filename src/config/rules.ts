import type { z } from 'zod';
import type { AccountConfig } from './account-schema.ts';
import { wrongBase } from './api-base.ts';
import { PUBLISH_MS, type readbackSection } from './readback.ts';

/** The parts of the configuration that the rules look at. */
interface Checked {
  readonly kafka: {
    readonly heartbeat_interval_ms: number;
    readonly session_timeout_ms: number;
    readonly rebalance_timeout_ms: number;
    readonly fetch_max_bytes: number;
    readonly tls: { readonly cert?: string | undefined; readonly key?: string | undefined };
    readonly sasl?: Readonly<Partial<Record<string, string | undefined>>> | undefined;
  };
  readonly redis: {
    readonly url?: string | undefined;
    readonly cluster: boolean;
    readonly nodes: readonly string[];
    readonly tls: { readonly cert?: string | undefined; readonly key?: string | undefined };
  };
  readonly registry: { readonly username?: string | undefined; readonly password?: string | undefined };
  readonly processing: { readonly backoff_min_ms: number; readonly backoff_max_ms: number };
  readonly limits: { readonly record_bytes: number };
  readonly seals: {
    readonly mode: string;
    readonly sign_with?: string | undefined;
    readonly keys: readonly { readonly id: string }[];
  };
  readonly readback: z.output<typeof readbackSection>;
  readonly accounts: readonly AccountConfig[];
}

/** What the mechanism needs; each is a key of `kafka.sasl`. */
const SASL_NEEDS: Readonly<Record<string, readonly string[]>> = {
  plain: ['username', 'password'],
  'scram-sha-256': ['username', 'password'],
  'scram-sha-512': ['username', 'password'],
  oauthbearer: ['token_url', 'client_id', 'client_secret'],
};

/** The rules that hold between keys. Each issue lies on the key that a person would change. */
export function checkTogether(config: Checked, context: z.core.$RefinementCtx): void {
  const refuse = (key: string, wants: string) =>
    context.addIssue({
      code: 'custom',
      path: key.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      message: wants,
      input: config,
      params: { together: true },
    });

  const { kafka, redis, registry, processing, limits, seals } = config;
  if (kafka.heartbeat_interval_ms >= kafka.session_timeout_ms) {
    refuse('kafka.heartbeat_interval_ms', `less than kafka.session_timeout_ms (${kafka.session_timeout_ms})`);
  }
  if (kafka.session_timeout_ms >= kafka.rebalance_timeout_ms) {
    refuse('kafka.session_timeout_ms', `less than kafka.rebalance_timeout_ms (${kafka.rebalance_timeout_ms})`);
  }
  if (kafka.fetch_max_bytes < limits.record_bytes) {
    refuse('kafka.fetch_max_bytes', `at least limits.record_bytes (${limits.record_bytes})`);
  }
  if (kafka.sasl !== undefined) {
    const mechanism = kafka.sasl['mechanism'] ?? '';
    for (const key of SASL_NEEDS[mechanism] ?? []) {
      if (kafka.sasl[key] === undefined) refuse(`kafka.sasl.${key}`, `a value, because the mechanism is ${mechanism}`);
    }
  }
  for (const [section, { tls }] of Object.entries({ kafka, redis })) {
    if (tls.cert !== undefined && tls.key === undefined)
      refuse(`${section}.tls.key`, `a value, because ${section}.tls.cert is set`);
    if (tls.key !== undefined && tls.cert === undefined)
      refuse(`${section}.tls.cert`, `a value, because ${section}.tls.key is set`);
  }
  if (
    redis.cluster &&
    redis.url !== undefined &&
    URL.canParse(redis.url) &&
    !/^\/?0?$/.test(new URL(redis.url).pathname)
  ) {
    refuse('redis.url', 'no database number, because redis.cluster is on and a cluster has only database 0');
  }
  if (!redis.cluster && redis.nodes.length > 0) refuse('redis.nodes', 'nothing, unless redis.cluster is on');
  if (registry.username !== undefined && registry.password === undefined) {
    refuse('registry.password', 'a value, because registry.username is set');
  }
  if (processing.backoff_min_ms > processing.backoff_max_ms) {
    refuse('processing.backoff_min_ms', `at most processing.backoff_max_ms (${processing.backoff_max_ms})`);
  }
  const ids = seals.keys.map((key) => key.id);
  if (seals.mode !== 'off' && ids.length === 0)
    refuse('seals.keys', `at least one key, because seals.mode is ${seals.mode}`);
  if (new Set(ids).size < ids.length) refuse('seals.keys', 'each key id once');
  if (seals.sign_with !== undefined && !ids.includes(seals.sign_with)) {
    refuse('seals.sign_with', `the id of one of seals.keys (${ids.join(', ') || 'there are none'})`);
  }
  checkReadback(config, refuse);
}

function checkReadback({ readback, accounts }: Checked, refuse: (key: string, wants: string) => void): void {
  const { lease_ms: leaseMs, read_timeout_ms: readMs, call_timeout_ms: callMs, jitter_ms: jitterMs } = readback;
  const least = readMs + jitterMs + PUBLISH_MS;
  if (leaseMs < least) {
    refuse(
      'readback.lease_ms',
      `at least ${least}: read_timeout_ms, jitter_ms and ${PUBLISH_MS} to publish the answer`,
    );
  }
  if (callMs > readMs) refuse('readback.call_timeout_ms', `at most readback.read_timeout_ms (${readMs})`);
  if (readback.breaker_pause_ms > readback.breaker_pause_max_ms) {
    refuse('readback.breaker_pause_ms', `at most readback.breaker_pause_max_ms (${readback.breaker_pause_max_ms})`);
  }
  const seen = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    const name = `${account.provider}:${account.account}`;
    if (seen.has(name)) refuse(`accounts.${index}.account`, `each account of a provider once (${name} is there twice)`);
    seen.add(name);
    const wants = wrongBase(account, readback);
    if (wants !== null) refuse(`accounts.${index}.api_base`, wants);
  }
}
