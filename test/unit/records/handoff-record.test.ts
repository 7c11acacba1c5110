import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/evaluator/index.ts';
import { parseHandoffDecided } from '../../../src/records/index.ts';
import { handoffExample } from './handoff-example.ts';

describe('parseHandoffDecided', () => {
  it('reads an answer', () => {
    const value = handoffExample() as unknown as Json;
    expect(parseHandoffDecided(value)).toEqual({ ok: true, record: value });
  });

  it('refuses what claims that money moved', () => {
    const value = { ...handoffExample(), money_moved: true } as unknown as Json;
    expect(parseHandoffDecided(value)).toMatchObject({ ok: false, code: 'RECORD_MALFORMED', field: 'money_moved' });
  });
});
