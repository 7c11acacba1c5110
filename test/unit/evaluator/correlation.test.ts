import { describe, expect, it } from 'vitest';
import { predates, staleUntil } from '../../../src/evaluator/correlation.ts';
import { viewRefund } from '../../../src/evaluator/fold.ts';
import type { Contract, Observation } from '../../../src/evaluator/index.ts';
import { viewPayment } from '../../../src/evaluator/index.ts';
import { SMALL, smallSet } from '../../support/small-contract.ts';
import { acted, at, event, play, refundFacts, started } from '../../support/story.ts';

const echo = (key: string, strategy: 'echo' | 'idempotency_key' = 'echo'): Contract['correlation'] => ({
  strategies: [{ strategy, assurance: 'strong', keys: { key }, required: false }],
});

const bindings = (log: readonly Observation[], correlation: Contract['correlation'] = { strategies: [] }) => {
  const contracts = smallSet({ correlation });
  return Object.fromEntries(viewPayment(play(contracts, log).state, contracts).bindings);
};

const startedWith = (id: string, seconds: number, custom?: string) =>
  started(id, seconds, { ...SMALL, ...(custom === undefined ? {} : { input: { custom_id: custom } }) });

describe('a value that the provider echoes', () => {
  const byCustom = echo('$input.custom_id');

  it('binds the one refund that prints it', () => {
    expect(bindings([startedWith('op-1', 0, 'c-1'), event('R1', 4, { echoes: ['c-1'] })], byCustom)['op-1']).toEqual({
      refundId: 'R1',
      strategy: 'echo',
      assurance: 'strong',
      isClaimedByOther: false,
    });
  });

  it('binds nothing where two refunds print it', () => {
    const log = [
      startedWith('op-1', 0, 'c-1'),
      event('R1', 4, { echoes: ['c-1'] }),
      event('R2', 5, { echoes: ['c-1'] }),
    ];
    expect(bindings(log, byCustom)).toEqual({});
  });

  it('binds nothing where two operations carry it', () => {
    const log = [
      startedWith('op-1', 0, 'c-1'),
      startedWith('op-2', 1, 'c-1'),
      startedWith('op-3', 1, 'c-3'),
      event('R1', 4, { echoes: ['c-1'] }),
    ];
    expect(bindings(log, byCustom)).toEqual({});
  });

  it('of the input binds only where the money agrees: it may be the order’s', () => {
    const log = [startedWith('op-1', 0, 'c-1'), event('R1', 4, { echoes: ['c-1'], amount: '4.00' })];
    expect(bindings(log, byCustom)).toEqual({});
  });

  it('of the operation binds whatever the money', () => {
    const log = [startedWith('op-1', 0), event('R1', 4, { echoes: ['op-1'], amount: '4.00' })];
    expect(bindings(log, echo('$operation.idempotency_key', 'idempotency_key'))['op-1']).toMatchObject({
      refundId: 'R1',
      strategy: 'idempotency_key',
    });
  });

  it('does not bind a refund made before the operation', () => {
    const log = [startedWith('op-1', 0, 'c-1'), event('R1', 4, { echoes: ['c-1'], created: -60 })];
    expect(bindings(log, byCustom)).toEqual({});
  });

  it.each(['$action.result.custom_id', '$input.nothing', '$input.object', '$input.empty'])('at %s is none', (key) => {
    const start = started('op-1', 0, { ...SMALL, input: { object: { a: 1 }, empty: '' } });
    expect(bindings([start, event('R1', 4, { echoes: ['', '1'] })], echo(key))).toEqual({});
  });

  it('on a refund that two operations’ keys are printed on belongs to the earlier', () => {
    const log = [startedWith('op-1', 0), startedWith('op-2', 1), event('R1', 4, { echoes: ['op-1', 'op-2'] })];
    const bound = bindings(log, echo('$operation.id'));
    expect(bound['op-1']).toMatchObject({ refundId: 'R1', isClaimedByOther: false });
    expect(bound['op-2']).toMatchObject({ refundId: 'R1', isClaimedByOther: true });
  });

  it('does not bind for an operation whose contract is not in use', () => {
    const log = [started('op-1', 0), event('R1', 4, { echoes: ['op-1'] })];
    expect(bindings(log, echo('$operation.id'))).toEqual({});
  });
});

describe('an operation that reported several refunds', () => {
  const known = (id: string, seconds: number, given = {}) => ({
    ...acted('op-1', seconds, id),
    facts: refundFacts(id, seconds, given),
  });

  it('is bound to one that may live before one that is dead', () => {
    const log = [started('op-1', 0, SMALL), known('R1', 1), event('R1', 2, { status: 'FAILED' }), known('R2', 3)];
    expect(bindings(log)['op-1']?.refundId).toBe('R2');
  });

  it('is bound to the first known, then to the first by id', () => {
    expect(bindings([started('op-1', 0, SMALL), known('R2', 1), known('R1', 3)])['op-1']?.refundId).toBe('R2');
    for (const digests of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const twins = ['R1', 'R2'].map((id, index) => ({ ...known(id, 1), sha256: digests[index] ?? '' }));
      expect(bindings([started('op-1', 0, SMALL), ...twins])['op-1']?.refundId).toBe('R1');
    }
  });

  it('knows a result from when it was completed, else from its record', () => {
    const log = [started('op-1', 0, SMALL), { ...known('R2', 5), completedAt: 'lately' }, known('R1', 4)];
    expect(bindings(log)['op-1']?.refundId).toBe('R1');
  });
});

describe('two operations that report one refund', () => {
  it('leave it to the one created first, then to the first by id', () => {
    const report = [acted('op-1', 5, 'R1'), acted('op-2', 6, 'R1')];
    const owner = (a: number, b: number) =>
      Object.entries(bindings([started('op-2', b, SMALL), started('op-1', a, SMALL), ...report]))
        .filter(([, binding]) => !binding.isClaimedByOther)
        .map(([id]) => id);
    expect(owner(0, 1)).toEqual(['op-1']);
    expect(owner(1, 0)).toEqual(['op-2']);
    expect(owner(0, 0)).toEqual(['op-1']);
  });

  it('leave it to the one that has started', () => {
    const bound = bindings([acted('op-0', 5, 'R1'), acted('op-1', 6, 'R1'), started('op-1', 0, SMALL)]);
    expect(bound['op-1']?.isClaimedByOther).toBe(false);
  });
});

describe('an operation whose contract is not in use', () => {
  const contracts = smallSet();
  const view = viewPayment(play(contracts, [started('op-1', 0), acted('op-1', 1, 'R1')]).state, contracts);
  const operation = view.operations.get('op-1');
  const refund = viewRefund('R9', { seenAt: at(7) });

  it('has no start that a refund could precede, and no stale read window', () => {
    if (operation === undefined) throw new Error('no operation');
    expect(predates(refund, operation)).toBeNull();
    expect(staleUntil('R1', view.refunds.get('R1'), operation)).toBe(at(1));
    expect(staleUntil('R9', refund, operation)).toBe(at(7));
    expect(staleUntil('R8', undefined, operation)).toBe(Number.NEGATIVE_INFINITY);
  });
});
