/** One thing that `doctor` looked at. `fail` stops Countersign or makes it wrong; `warn` will hurt some day. */
export interface Check {
  readonly area:
    | 'config'
    | 'contracts'
    | 'accounts'
    | 'endpoints'
    | 'receipts'
    | 'kafka'
    | 'topics'
    | 'permissions'
    | 'registry'
    | 'redis'
    | 'state'
    | 'clock'
    | 'data';
  readonly status: 'ok' | 'warn' | 'fail';
  /** what was found */
  readonly what: string;
  /** what to do; null where all is well */
  readonly advice: string | null;
}

/** Checks of one area, without repeating its name. */
export const checksOf = (area: Check['area']) => ({
  ok: (what: string): Check => ({ area, status: 'ok', what, advice: null }),
  warn: (what: string, advice: string): Check => ({ area, status: 'warn', what, advice }),
  fail: (what: string, advice: string): Check => ({ area, status: 'fail', what, advice }),
});
