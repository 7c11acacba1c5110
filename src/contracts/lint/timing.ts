import type { Timing } from '../../evaluator/contract.ts';
import { type LintFinding, type LintRule, lintError, lintWarning } from './finding.ts';

const SKEW_MAX_MS = 600_000;

/** Durations that cannot be what somebody wanted. All in milliseconds. */
export const timingMakesSense: LintRule = ({ timing, evidence }) => {
  const found: LintFinding[] = [];
  const must = (isRight: boolean, member: keyof Timing, shouldBe: string): void => {
    if (!isRight) found.push(lintError('timing', ['timing', member], String(timing[member]), shouldBe));
  };
  must(timing.timeout_ms > 0, 'timeout_ms', 'more than 0');
  must(timing.poll_interval_ms > 0, 'poll_interval_ms', 'more than 0');
  must(
    timing.backoff_max_ms >= timing.poll_interval_ms,
    'backoff_max_ms',
    `at least poll_interval_ms (${timing.poll_interval_ms})`,
  );
  must(timing.initial_delay_ms < timing.timeout_ms, 'initial_delay_ms', `less than timeout_ms (${timing.timeout_ms})`);
  must(
    timing.stale_read_window_ms < timing.timeout_ms,
    'stale_read_window_ms',
    `less than timeout_ms (${timing.timeout_ms})`,
  );
  must(
    timing.attribution_window_ms < timing.timeout_ms,
    'attribution_window_ms',
    `less than timeout_ms (${timing.timeout_ms})`,
  );
  must(
    timing.clock_skew_ms <= SKEW_MAX_MS,
    'clock_skew_ms',
    `at most ${SKEW_MAX_MS}: more lets old refunds pass as new`,
  );
  must(
    timing.watch_period_ms >= timing.stale_read_window_ms + timing.attribution_window_ms && timing.watch_period_ms > 0,
    'watch_period_ms',
    'more than 0 and at least stale_read_window_ms + attribution_window_ms',
  );
  if (evidence.attribution === 'none')
    must(timing.attribution_window_ms === 0, 'attribution_window_ms', '0, since evidence.attribution is none');
  else if (timing.attribution_window_ms === 0)
    found.push(
      lintWarning(
        'timing',
        ['timing', 'attribution_window_ms'],
        '0',
        'more than 0, e.g. 120000: a refund is often seen before its own operation reports it',
      ),
    );
  return found;
};
