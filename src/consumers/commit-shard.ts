import type { HandoffDecided } from '../evaluator/index.ts';
import { countHandoff } from '../observability/count-handoff.ts';
import type { PendingVerdict, ShardCommit } from '../ports/shard-store.ts';
import { parseJsonText } from '../records/json-text.ts';
import type { WrittenState } from './commit.ts';
import type { ShardDeps } from './shard-deps.ts';
import type { ShardSession } from './shard-session.ts';
import { digestPending } from './verdict-digest.ts';

/** `lost`: the shard is another's, or its store went back in time. Nothing was written. */
export type Committed = 'done' | 'fenced' | 'rewound';

const timed = async <T>(run: () => Promise<T>, observe: (seconds: number, result: T | null) => void): Promise<T> => {
  const started = performance.now();
  try {
    const result = await run();
    observe((performance.now() - started) / 1000, result);
    return result;
  } catch (error) {
    observe((performance.now() - started) / 1000, null);
    throw error;
  }
};

const countVerdicts = (metrics: ShardDeps['metrics'], verdicts: readonly PendingVerdict[]): void => {
  for (const pending of verdicts) {
    if (pending.topic !== undefined) {
      countHandoff(metrics, parseJsonText(pending.value) as unknown as HandoffDecided);
      continue;
    }
    const { verdict, class: kind, reason, provider } = digestPending(pending);
    metrics.verdicts.inc({ verdict, class: kind ?? '', reason });
    if (kind === 'duplicate_side_effect') metrics.duplicateRefunds.inc({ provider: provider ?? '' });
  }
};

/**
 * Writes a commit to the store, takes what it wrote into the cache, and publishes its verdicts. Where publishing fails
 * (throws), the verdicts are pending in the store, and the next take-over publishes them.
 *
 * @param onCommitted called once the commit is written, before anything is published
 */
export const commitShard = async (
  { store, faults, metrics }: ShardDeps,
  session: ShardSession,
  commit: ShardCommit,
  written: readonly WrittenState[],
  onCommitted: () => void = () => undefined,
): Promise<Committed> => {
  await faults.hit('before-commit');
  const result = await timed(
    () => store.commit(commit),
    (seconds, done) => metrics.commitSeconds.observe({ outcome: done?.outcome ?? 'failed' }, seconds),
  );
  if (!('claim' in result)) return result.outcome;
  await faults.hit('after-commit');
  const first = commit.claim.nextVerdict;
  session.claim = result.claim;
  for (const { paymentKey, state, expiresAt, chars } of written) session.cache.set(paymentKey, state, expiresAt, chars);
  for (const { evaluateAt } of commit.writes) session.expect(evaluateAt);

  const verdicts = commit.verdicts.map((verdict, index): PendingVerdict => ({ ...verdict, sequence: first + index }));
  // Whether or not they can be published now: what is committed is decided, and never counted again.
  countVerdicts(metrics, verdicts);
  onCommitted();
  if (verdicts.length === 0) return 'done';
  await faults.hit('before-publish');
  const published = await timed(
    () => session.publisher.publish(result.claim, verdicts, session.replay !== null),
    (seconds, done) => metrics.publishSeconds.observe({ outcome: done ?? 'failed' }, seconds),
  );
  return published === 'fenced' ? 'fenced' : 'done';
};
