import { generateKeyPairSync } from 'node:crypto';
import { NO_OPERATION } from '../../src/evaluator/apply.ts';
import {
  type ContractSet,
  emptyPayment,
  type PaymentState,
  type PaymentStep,
  type VerdictRecord,
} from '../../src/evaluator/index.ts';
import { type ChainHead, EMPTY_CHAIN, type ReceiptSealer } from '../../src/ports/receipt-sealer.ts';
import type { PendingVerdict } from '../../src/ports/shard-store.ts';
import { createReceiptSealer, type KeyRecord, KeySet } from '../../src/receipts/index.ts';
import { parseJsonText, printJson } from '../../src/records/json-text.ts';
import { verdictExample } from '../unit/records/verdict-example.ts';

const MINUTE = 60_000;
export const T0 = Date.parse('2026-09-01T12:00:00Z');

/** A fresh key for a test. */
export const testKey = (kid: string, more: Partial<KeyRecord> = {}): KeyRecord => {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x: x ?? '', d: d ?? '', kid, ...more };
};

export const sealerWith = (...keys: KeyRecord[]): ReceiptSealer => {
  const set = new KeySet(keys);
  return createReceiptSealer('receipts', async () => set);
};

const REF = { provider: 'paypal', account: 'merchant-1', paymentId: '3C679366HH908993R' } as const;

/** A revision of an operation, decided a minute after the one before it. */
export const verdictOf = (operation: string, revision: number, more: Partial<VerdictRecord> = {}): VerdictRecord => {
  const key = verdictExample().payment_key;
  return {
    ...verdictExample(),
    verdict: 'VERIFIED',
    class: null,
    operation_id: operation,
    revision,
    verdict_id: `${key}/${operation}:${revision}`,
    supersedes: revision === 1 ? null : `${key}/${operation}:${revision - 1}`,
    decided_at: new Date(T0 + revision * MINUTE).toISOString(),
    ...more,
  };
};

/** Links and seals as a shard's owner does: one commit and one publication for each list of verdicts. */
export class TestShard {
  head: ChainHead = EMPTY_CHAIN;
  state: PaymentState = emptyPayment(REF);
  readonly #sealer: ReceiptSealer;
  #sequence = 0;

  constructor(sealer: ReceiptSealer) {
    this.#sealer = sealer;
  }

  /** What a commit leaves pending of them. */
  link(verdicts: readonly VerdictRecord[]): PendingVerdict[] {
    const reduce = this.#sealer.link((): PaymentStep => {
      const operations = Object.fromEntries(
        verdicts.map(({ operation_id: id }) => [id, this.state.operations[id] ?? NO_OPERATION]),
      );
      const state = { ...this.state, operations: { ...this.state.operations, ...operations } };
      return {
        state,
        verdicts,
        rejections: [],
        evaluateAt: null,
        reads: [],
        expiresAt: 0,
      } as Partial<PaymentStep> as PaymentStep;
    });
    const step = reduce({} as ContractSet, { ref: REF, state: this.state, observations: [], appliedAt: [], now: 0 });
    this.state = step.state;
    return step.verdicts.map((verdict) => {
      this.#sequence += 1;
      const key = `${verdict.payment_key}/${verdict.operation_id}`;
      return { sequence: this.#sequence, key, value: printJson(verdict as never), traceparent: null };
    });
  }

  async publish(verdicts: readonly VerdictRecord[]): Promise<{ records: VerdictRecord[]; jws: string[] }> {
    const sealed = await this.#sealer.seal(0, this.head, this.link(verdicts));
    this.head = sealed.head;
    return {
      records: sealed.verdicts.map(({ value }) => parseJsonText(value) as unknown as VerdictRecord),
      jws: sealed.receipts.map(({ jws }) => jws),
    };
  }
}

export const linesOf = (texts: readonly string[], file = 'log'): { at: string; text: string }[] =>
  texts.map((text, index) => ({ at: `${file}:${index + 1}`, text }));
