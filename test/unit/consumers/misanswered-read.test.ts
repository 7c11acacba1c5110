import { expect, it } from 'vitest';
import { createAdmission } from '../../../src/consumers/admit.ts';
import { parseInputRecord } from '../../../src/records/parse.ts';
import { shipped } from '../../support/contracts.ts';

const admission = createAdmission({ contracts: shipped, endpoints: [], trustGateway: true, testMode: false });

const answer = (resourceId: string | undefined, body: object) => {
  const parsed = parseInputRecord({
    kind: 'readback.result',
    operation_id: 'op-1',
    provider: 'paypal',
    account: 'merchant-1',
    payment_id: 'C1',
    channel: 'refund_readback',
    ...(resourceId === undefined ? {} : { resource_id: resourceId }),
    requested_at: '2026-09-01T12:00:00Z',
    observed_at: '2026-09-01T12:00:01Z',
    outcome: 'ok',
    http_status: 200,
    body: JSON.stringify(body),
  });
  if (!parsed.ok) throw new Error(parsed.reason);
  return admission.admit(parsed.record, { source: { topic: 't', partition: 0, offset: '0' }, timestamp: null });
};

it('refuses an answer that names another refund than was asked for, and says both', () => {
  expect(answer('R1', { id: 'R2', status: 'FAILED' })).toEqual({
    outcome: 'refused',
    code: 'READBACK_MALFORMED',
    reason: 'body: names the refund R2, should be the one asked for, R1',
  });
});

it('takes the one asked for, and any where none was named', () => {
  expect(answer('R1', { id: 'R1', status: 'COMPLETED' }).outcome).toBe('admitted');
  expect(answer(undefined, { id: 'R2', status: 'COMPLETED' }).outcome).toBe('admitted');
});
