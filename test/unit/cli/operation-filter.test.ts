import { describe, expect, it } from 'vitest';
import { parseOperationFilter } from '../../../src/cli/serve/operation-filter.ts';

describe('the filter of GET /v1/operations', () => {
  it('takes each parameter once', () => {
    expect(parseOperationFilter({})).toEqual({});
    expect(parseOperationFilter({ verdict: 'VERIFIED', escalated: 'false', payment_key: 'paypal:a:b' })).toEqual({
      verdict: 'VERIFIED',
      isEscalated: false,
      paymentKey: 'paypal:a:b',
    });
  });

  it.each([
    [{ verdict: 'BOGUS' }, 'verdict', 'verdict: was "BOGUS", should be one of VERIFIED, CONTRADICTED, FAILED, PENDING'],
    [{ verdict: 'verified' }, 'verdict', 'verdict: was "verified", should be one of VERIFIED'],
    [{ verdict: '' }, 'verdict', 'verdict: was "", should be one of VERIFIED'],
    [{ verdict: 'toString' }, 'verdict', 'verdict: was "toString", should be one of VERIFIED'],
    [{ verdict: ['FAILED', 'PENDING'] }, 'verdict', 'was ["FAILED","PENDING"], should be given once: one of VERIFIED'],
    [{ escalated: 'yes' }, 'escalated', 'escalated: was "yes", should be true or false'],
    [{ payment_key: ['a', 'b'] }, 'payment_key', 'should be given once: a payment key'],
    [{ verdit: 'FAILED' }, 'verdit', 'verdit: was "FAILED", should be named verdict'],
    [{ limit: '5' }, 'limit', 'should be left out: the parameters are verdict, escalated, payment_key'],
  ])('refuses %j, and names the parameter', (query, field, detail) => {
    expect(parseOperationFilter(query)).toEqual({ field, detail: expect.stringContaining(detail) });
  });
});
