import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

describe('the options of a simulation', () => {
  it.each([
    [['--seed=-1'], '--seed: was "-1", should be a whole number from 0 on'],
    [['--seed', 'text'], '--seed: was "text"'],
    [['--seed', ''], '--seed: was ""'],
    [['--seed', '1.5'], '--seed: was "1.5"'],
    [['--runs', '0'], '--runs: was "0", should be a whole number from 1 on'],
    [['--minutes', '0'], '--minutes: was "0"'],
    [['--operations', '0'], '--operations: was "0"'],
    [['--jobs', '0'], '--jobs: was "0"'],
    [['--rule', 'verified_twise'], '--rule: was "verified_twise", should be one of verified_without_its_refund, '],
    [['--core', '--trace', 'file'], '--trace: needs a house'],
    [['--core', '--keep'], '--keep: needs a house'],
    [['--nonsense'], '--nonsense'],
  ])('refuse %j, naming what is wrong', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });

  it('play one seed where one is named, else twenty', () => {
    expect(readOptions(['--seed', '1e9'])).toMatchObject({ seed: 1_000_000_000, runs: 1, rule: null });
    expect(readOptions([])).toMatchObject({ seed: 1, runs: 20 });
    expect(readOptions(['--rule', 'verified_twice'])).toMatchObject({ rule: 'verified_twice' });
  });
});
