import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contractHash } from '../../../src/contracts/hash.ts';
import { loadContracts, SHIPPED_CONTRACTS } from '../../../src/contracts/load.ts';
import type { Comparison, Contract } from '../../../src/evaluator/contract.ts';

const set = loadContracts();
const literal = (id: string): Contract => set.find(id, '1.0.0')?.contract as Contract;
const says = ({ path, operator, expected }: Comparison): string => `${path} ${operator} ${JSON.stringify(expected)}`;

const DAY_MS = 86_400_000;

describe('the published contracts, literally', () => {
  it.each([
    ['paypal.refund.completed', [2000, 5000, 2, 300000, 900, 259200000, 20000]],
    ['square.refund.completed', [1000, 5000, 2, 60000, 40, 604800000, 20000]],
    ['shopify.refund.created', [1000, 5000, 2, 60000, 40, 604800000, 20000]],
  ])('%s has every number of its timing table, and none of ours', (id, numbers) => {
    const { timing, evidence, on_timeout: onTimeout } = literal(id);
    expect([
      timing.initial_delay_ms,
      timing.poll_interval_ms,
      timing.backoff_factor,
      timing.backoff_max_ms,
      timing.max_attempts,
      timing.timeout_ms,
      timing.stale_read_window_ms,
    ]).toEqual(numbers);
    expect([timing.attribution_window_ms, timing.clock_skew_ms, timing.watch_period_ms]).toEqual([0, 0, 35 * DAY_MS]);
    expect(evidence).toEqual({
      minimum_level: 'E2',
      independent_channel_required: true,
      minimum_channels: 1,
      attribution: 'none',
    });
    expect(onTimeout).toEqual({
      verdict: 'UNVERIFIABLE',
      reason: 'evidence_unavailable_before_timeout',
      escalate_to: 'person',
    });
  });

  it('keeps hashes, certification, levels and API versions as printed', () => {
    const facts = (id: string) => {
      const {
        published_hash: hash,
        certification,
        completion_level: level,
        provider_api_versions: versions,
      } = literal(id);
      return [hash, certification, level, versions];
    };
    expect(facts('paypal.refund.completed')).toEqual([undefined, 'Provisional', 'refunded', []]);
    expect(facts('square.refund.completed')).toEqual(['996beade3905b671', 'Provisional', 'refunded', ['2026-08-19']]);
    expect(facts('shopify.refund.created')).toEqual(['3b0c1707cf0adcf1', 'Community', 'created', ['2025-07']]);
  });

  it('has PayPal’s conditions, classes and rules', () => {
    const { verified, contradicted, states } = literal('paypal.refund.completed');
    expect(verified.map((one) => [one.name, says(one), one.evidence])).toEqual([
      ['refund_present', '$observed.refund_readback.id eq "$action.result.id"', 'refund_readback'],
      ['refund_amount_matches', '$observed.refund_readback.amount.value eq "$input.amount"', 'refund_readback'],
      [
        'refund_currency_matches',
        '$observed.refund_readback.amount.currency_code eq "$input.currency_code"',
        'refund_readback',
      ],
      [
        'refund_created_in_window',
        '$observed.refund_readback.create_time time_after "$operation.created_at"',
        'refund_readback',
      ],
      ['refund_on_intended_capture', '$observed.capture_refunded_events.count gte 1', 'capture_refunded_events'],
      ['refund_status_completed', '$observed.refund_readback.status eq "COMPLETED"', 'refund_readback'],
    ]);
    expect(contradicted.map((one) => [one.name, one.class, says(one)])).toEqual([
      ['refund_amount_mismatch', 'wrong_amount', '$observed.refund_readback.amount.value ne "$input.amount"'],
      [
        'refund_currency_mismatch',
        'wrong_amount',
        '$observed.refund_readback.amount.currency_code ne "$input.currency_code"',
      ],
      [
        'refund_predates_operation',
        'pre_existing_state',
        '$observed.refund_readback.create_time time_before "$operation.created_at"',
      ],
      ['duplicate_refund_present', 'duplicate_side_effect', '$observed.capture_refunded_events.count gt 1'],
    ]);
    expect(states.map((one) => [one.name, says(one.match), one.verdict, one.advice])).toEqual([
      ['refund_failed', '$observed.refund_readback.status eq "FAILED"', 'FAILED', 'retry_same_key'],
      ['refund_still_pending', '$observed.refund_readback.status eq "PENDING"', 'PENDING', 'wait'],
    ]);
  });

  it('has Square’s conditions, classes and rules', () => {
    const { verified, contradicted, states, correlation, provenance } = literal('square.refund.completed');
    const refund = '$observed.refund_readback.refund';
    expect(verified.map((one) => [one.name, says(one)])).toEqual([
      ['refund_status_completed', `${refund}.status eq "COMPLETED"`],
      ['refund_amount_matches', `${refund}.amount_money.amount eq "$input.amount"`],
      ['refund_payment_matches', `${refund}.payment_id eq "$input.payment_id"`],
      ['refund_created_in_window', `${refund}.created_at time_after "$operation.created_at"`],
      ['refund_completed_event', '$observed.refund_completed_events.count gte 1'],
    ]);
    expect(contradicted.map((one) => [one.name, one.class, says(one)])).toEqual([
      ['refund_on_wrong_payment', 'wrong_subject', `${refund}.payment_id ne "$input.payment_id"`],
      ['refund_amount_mismatch', 'wrong_amount', `${refund}.amount_money.amount ne "$input.amount"`],
      ['refund_predates_operation', 'pre_existing_state', `${refund}.created_at time_before "$operation.created_at"`],
      ['duplicate_refund_present', 'duplicate_side_effect', '$observed.refund_created_events.count gt 1'],
    ]);
    expect(states.map((one) => [one.name, says(one.match), one.verdict])).toEqual([
      ['terminal_failure', `${refund}.status eq "FAILED"`, 'FAILED'],
      ['rejected', `${refund}.status eq "REJECTED"`, 'CONTRADICTED'],
      ['still_transitional', `${refund}.status eq "PENDING"`, 'PENDING'],
    ]);
    expect(correlation.strategies.map((one) => [one.strategy, one.assurance, one.required])).toEqual([
      ['resource_id', 'strong', true],
      ['idempotency_key', 'strong', false],
      ['fingerprint', 'weak', false],
    ]);
    expect(provenance).toHaveLength(12);
  });

  it('has Shopify’s conditions, classes and rules', () => {
    const { verified, contradicted, states, provenance } = literal('shopify.refund.created');
    const refund = '$observed.refund_readback.data.refund';
    expect(verified.map((one) => [one.name, says(one)])).toEqual([
      ['refund_created_in_window', `${refund}.createdAt time_after "$operation.created_at"`],
      ['refund_present', `${refund}.id eq "$action.result.refundCreate.refund.id"`],
      ['refund_webhook_present', '$observed.refund_events.count gte 1'],
    ]);
    expect(contradicted.map((one) => [one.name, one.class, says(one)])).toEqual([
      ['refund_on_wrong_order', 'wrong_subject', `${refund}.order.id ne "$input.order_id"`],
      ['refund_amount_mismatch', 'wrong_amount', `${refund}.totalRefundedSet.shopMoney.amount ne "$input.amount"`],
      ['refund_predates_operation', 'pre_existing_state', `${refund}.createdAt time_before "$operation.created_at"`],
      ['duplicate_refund_present', 'duplicate_side_effect', '$observed.order_refund_events.count gt 1'],
    ]);
    expect(states.map((one) => [one.name, says(one.match), one.verdict])).toEqual([
      ['transaction_failed', `${refund}.transactions[0].status in ["FAILURE","ERROR"]`, 'FAILED'],
    ]);
    expect(provenance).toHaveLength(8);
  });
});

describe('the lock', () => {
  it('holds every shipped contract, unchanged', () => {
    const lock = JSON.parse(readFileSync(join(SHIPPED_CONTRACTS, 'lock.json'), 'utf8')) as Record<string, string>;
    const hashes = Object.fromEntries(
      set.all.map(({ contract, ref }) => [`${ref.id}@${ref.version}`, contractHash(contract)]),
    );
    expect(lock).toEqual(hashes);
  });
});
