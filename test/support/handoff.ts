import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createAdmission } from '../../src/consumers/admit.ts';
import type { BatchDeps } from '../../src/consumers/batch-deps.ts';
import { decodeLogLine } from '../../src/consumers/decode-log-line.ts';
import { loadContracts } from '../../src/contracts/load.ts';
import { ReplayEngine, type ReplayStep } from '../../src/drivers/memory/replay-engine.ts';
import { createReducer, type HandoffDecided } from '../../src/evaluator/index.ts';
import { createDecision, createHandoffProofs, type Issuer } from '../../src/handoff/index.ts';
import { verifyingKeys } from '../../src/receipts/jws-verify.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Somebody who signs receipts and authorities. */
export interface Signer {
  readonly issuer: Issuer;
  /** as the configuration states it */
  readonly config: object;
  /** a JWS in compact form */
  readonly sign: (claims: object) => string;
}

export const signer = (id: string, maySign: Issuer['maySign'], realm = 'live'): Signer => {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ed25519');
  const kid = `${id}-1`;
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid };
  return {
    issuer: { id, realm, maySign, keys: verifyingKeys([jwk]) },
    config: { id, realm, may_sign: maySign, jwks: { keys: [jwk] } },
    sign: (claims) => {
      const text = `${encode({ alg: 'EdDSA', kid })}.${encode(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    },
  };
};

export const LEDGER = signer('ledger', ['charges', 'refunds']);
export const RISK = signer('risk', ['authorities']);
export const TEST_LEDGER = signer('test-ledger', ['charges', 'refunds', 'authorities'], 'test');
export const ISSUERS = [LEDGER.issuer, RISK.issuer, TEST_LEDGER.issuer];

/** The `handoff` part of a configuration that believes them. */
export const signersConfig = (): object => ({ issuers: [LEDGER, RISK, TEST_LEDGER].map(({ config }) => config) });

const STRIPE = { provider: 'stripe', account: 'shop-1', payment_id: 'ch_1' };

export const chargeClaims = (over: object = {}): object => ({
  type: 'charge.receipt',
  iss: 'ledger',
  receipt_ref: 'rcpt-1',
  ...STRIPE,
  payer: 'cus_1',
  amount: '5000',
  currency: 'AUD',
  rail: 'stripe',
  realm: 'live',
  provider_proof: ['evt_charge_1'],
  money_moved: true,
  issued_at: '2026-09-01T09:00:00Z',
  ...over,
});

export const refundClaims = (over: object = {}): object => {
  const { payer: _, ...rest } = chargeClaims() as Record<string, unknown>;
  return {
    ...rest,
    type: 'refund.receipt',
    receipt_ref: 'rcpt-2',
    charge_ref: 'rcpt-1',
    refund_id: 're_0',
    amount: '1000',
    provider_proof: ['evt_refund_0'],
    ...over,
  };
};

export const authorityClaims = (over: object = {}): object => ({
  type: 'refund.authority',
  iss: 'risk',
  id: 'auth-1',
  realm: 'live',
  operation: 'refund',
  payer: 'cus_1',
  currency: 'AUD',
  rail: 'stripe',
  max_amount: '5000',
  single_use: true,
  expires_at: '2026-09-02T00:00:00Z',
  ...over,
});

export const chargeReceipt = (claims: object = {}, over: object = {}): object => {
  const { provider, account, payment_id, receipt_ref } = chargeClaims(claims) as Record<string, string>;
  const where = { provider, account, payment_id, receipt_ref };
  const receipt = LEDGER.sign(chargeClaims(claims));
  return { kind: 'charge.receipt', ...where, receipt, received_at: '2026-09-01T09:00:01Z', ...over };
};

export const refundReceipt = (claims: object = {}, over: object = {}): object => {
  const { provider, account, payment_id, receipt_ref, charge_ref } = refundClaims(claims) as Record<string, string>;
  const where = { provider, account, payment_id, receipt_ref, charge_ref };
  const receipt = LEDGER.sign(refundClaims(claims));
  return { kind: 'refund.receipt', ...where, receipt, received_at: '2026-09-01T10:00:00Z', ...over };
};

/** A request for 2,000 AUD under an authority of its own. @param authority claims of it; a string or null stands for it as it is */
export const request = (over: object = {}, authority: object | string | null = {}): object => ({
  kind: 'handoff.requested',
  ...STRIPE,
  charge_ref: 'rcpt-1',
  amount: '2000',
  currency: 'AUD',
  reason: 'one of two returned',
  rail: 'stripe',
  counterparty: 'cus_1',
  authority: typeof authority === 'object' && authority !== null ? RISK.sign(authorityClaims(authority)) : authority,
  requested_at: '2026-09-01T12:00:00Z',
  ...over,
});

const SHIPPED = loadContracts();

export const handoffDeps = (holdMs = 900_000): BatchDeps => {
  const contracts = SHIPPED;
  return {
    contracts,
    reduce: createReducer(createDecision({ holdMs })),
    admission: createAdmission({
      contracts,
      endpoints: [],
      testMode: false,
      trustGateway: true,
      handoffs: createHandoffProofs(ISSUERS),
    }),
  };
};

/** A log that is played as it is written. */
export class HandoffLog {
  readonly engine: ReplayEngine;
  #lines = 0;

  constructor(deps = handoffDeps()) {
    this.engine = new ReplayEngine(deps);
  }

  apply(...records: readonly object[]): ReplayStep {
    const lines = records.map((record) => {
      this.#lines += 1;
      return decodeLogLine('log', this.#lines, JSON.stringify(record));
    });
    return this.engine.apply(lines);
  }

  /** The answer to one request. */
  ask(record: object): HandoffDecided {
    const { handoffs, deadLetters } = this.apply(record);
    const [decided] = handoffs;
    if (decided === undefined) throw new Error(`no answer: ${JSON.stringify(deadLetters)}`);
    return decided;
  }
}

/** A refund that Stripe tells of by an event. */
export const stripeEvent = (id: string, amount: number, status = 'succeeded', over: object = {}): object => ({
  kind: 'webhook.received',
  provider: 'stripe',
  account: 'shop-1',
  endpoint: 'default',
  headers: {},
  body: JSON.stringify({
    id: `evt_${id}_${status}`,
    object: 'event',
    type: 'refund.updated',
    created: 1_788_256_800,
    data: {
      object: { id, object: 'refund', amount, charge: 'ch_1', currency: 'aud', status, created: 1_788_256_800 },
    },
  }),
  received_at: '2026-09-01T10:00:00Z',
  ...over,
});

export const codesOf = ({ refusals }: HandoffDecided): string[] => refusals.map(({ code }) => code);
