import { describe, expect, it } from 'vitest';
import { type Contract, compileContract, type JsonObject, projectionFor } from '../../../src/evaluator/index.ts';
import { condition, smallContract } from '../../support/small-contract.ts';

const REF = { id: 'test.refund', version: '1.0.0', hash: '0' };
const compiled = (given: Parameters<typeof smallContract>[0]) => compileContract(smallContract(given), REF);

describe('compiling a contract', () => {
  it('refuses a path that is none, and says which', () => {
    const verified = [condition({ path: '$nowhere.x', operator: 'eq', expected: 1 })];
    expect(() => compiled({ verified })).toThrow(/\$nowhere\.x: unknown root/);
  });

  it('refuses a path inside an element that is none', () => {
    const aggregate = { op: 'sum', of: 'a..b' } as const;
    const verified = [condition({ path: '$action.result.x', aggregate, operator: 'eq', expected: '1' })];
    expect(() => compiled({ verified })).toThrow(/a\.\.b: a path is names joined by dots/);
  });

  it('knows no identity where the subject states none', () => {
    const subject = { ...smallContract().subject, identity: {} };
    expect(compiled({ subject }).identity).toBeNull();
    expect(compiled({}).identity?.segments).toEqual(['result', 'id']);
  });

  it('has no volatile fields where a channel names none', () => {
    const { refund_events, refund_readback } = smallContract().channels;
    if (refund_events === undefined || refund_readback?.verifier !== 'http') throw new Error('no such channels');
    const { volatile: _, ...steady } = refund_readback;
    expect(compiled({ channels: { steady, refund_events } }).channels.get('steady')?.volatile).toEqual([]);
  });
});

describe('what a channel needs', () => {
  it('is a path, or is refused', () => {
    const { payment_readback } = smallContract().channels;
    const channels = (needs: string) => ({ list: { ...payment_readback, needs } }) as Contract['channels'];
    expect(compiled({ channels: channels('$input.order_id') }).channels.get('list')?.needs?.path.segments).toEqual([
      'order_id',
    ]);
    expect(() => compiled({ channels: channels('order_id') })).toThrow(/order_id: a path begins with/);
  });
});

describe('a projection', () => {
  const item = { kind: 'REFUND', amount: '1.00', note: 'x' };
  const body: JsonObject = {
    id: 'R1',
    status: 'DONE',
    amount: { value: '1.00', extra: 1 },
    items: [item, 'odd'],
    rest: 1,
  };
  const on = (path: string, rest: object = {}) => condition({ path, operator: 'eq', expected: 'x', ...rest });
  const kept = (...verified: ReturnType<typeof on>[]): JsonObject =>
    projectionFor([compiled({ verified })]).read('refund_readback', body);

  it('keeps what conditions read and drops the rest', () => {
    expect(kept(on('$observed.refund_readback.id'), on('$observed.refund_readback.amount.value'))).toEqual({
      id: 'R1',
      amount: { value: '1.00' },
    });
  });

  it('keeps a value whole where one condition reads it whole and another a part of it', () => {
    const [whole, part] = [on('$observed.refund_readback.amount'), on('$observed.refund_readback.amount.value')];
    expect(kept(whole, part)).toEqual({ amount: { value: '1.00', extra: 1 } });
    expect(kept(part, whole)).toEqual({ amount: { value: '1.00', extra: 1 } });
  });

  it('keeps the fields of each element that an aggregate reads', () => {
    const aggregate = { op: 'sum', of: 'amount', where: { kind: ['REFUND'] } };
    expect(kept(on('$observed.refund_readback.items', { aggregate }))).toEqual({
      items: [{ kind: 'REFUND', amount: '1.00' }, 'odd'],
    });
  });

  it('keeps what further comparisons and expectations read', () => {
    const and = [
      { path: '$observed.refund_readback.id', operator: 'eq', expected: '$observed.refund_readback.status' },
    ];
    expect(kept(on('$observed.refund_readback.rest', { and }))).toEqual({ rest: 1, id: 'R1', status: 'DONE' });
  });

  it('keeps at most 250 elements of a list', () => {
    const aggregate = { op: 'count', where: { kind: ['A'] } };
    const long = projectionFor([compiled({ verified: [on('$observed.refund_readback.items', { aggregate })] })]);
    const items = Array.from({ length: 300 }, () => ({ kind: 'A' }));
    expect(long.read('refund_readback', { items })['items']).toHaveLength(250);
  });

  it('keeps nothing of a channel that no contract reads, or reads only as a whole', () => {
    expect(projectionFor([compiled({})]).read('constructor', body)).toEqual({});
    expect(kept(on('$observed.refund_readback'))).toEqual({});
  });

  it("keeps of the action's answer the identity and what conditions read", () => {
    const projection = projectionFor([compiled({ verified: [on('$action.result.status'), on('$action.error.kind')] })]);
    expect(projection.action(body)).toEqual({ id: 'R1', status: 'DONE' });
  });

  it('keeps no identity that the action does not give', () => {
    const subject = { ...smallContract().subject, identity: { refund_id: '$input.refund_id' } };
    expect(projectionFor([compiled({ subject })]).action(body)).toEqual({});
  });
});
