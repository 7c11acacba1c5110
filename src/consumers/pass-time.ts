import { buildCommit } from './commit.ts';
import { type Committed, commitShard } from './commit-shard.ts';
import { loadStates } from './load.ts';
import { evaluateDue, evaluatePassedTime } from './process-batch.ts';
import type { ReducedPayment } from './reduce-groups.ts';
import { amendForJudgement } from './replayed-payments.ts';
import type { ShardDeps } from './shard-deps.ts';
import type { ShardSession } from './shard-session.ts';

const PAGE = 500;

/** Does a page of the evaluations that have fallen due; call it again while the session says that some are. */
export const applyDue = async (deps: ShardDeps, session: ShardSession): Promise<Committed> => {
  const due = await evaluateDue(deps.batch, session, session.streamTime.now, PAGE);
  if (due === null) {
    session.nextDue = await deps.store.nextEvaluation(session.shard);
    return 'done';
  }
  return commitShard(deps, session, due.commit, due.written);
};

/**
 * The replay is through: judges every payment whose revisions were published by a state that the store has lost. What is
 * the same is not published again; what differs is the next revision.
 */
export const judgeReplayed = async (deps: ShardDeps, session: ShardSession): Promise<Committed> => {
  const { replay, streamTime } = session;
  if (replay === null) return 'done';
  const keys = [...replay.published.keys()];
  for (let from = 0; from < keys.length; from += PAGE) {
    const page = keys.slice(from, from + PAGE);
    const now = streamTime.now;
    const states = await loadStates(deps.store, session.shard, session.cache, page, now);
    const payments: ReducedPayment[] = [];
    for (const [index, state] of states.entries()) {
      const key = page[index] ?? '';
      const amended = amendForJudgement(replay.published, key, state, now);
      if (amended !== null) payments.push(evaluatePassedTime(deps.batch, key, amended, now));
    }
    const { commit, written } = buildCommit(session.claim, payments, session.claim.applied, now, () => null);
    const committed = await commitShard(deps, session, commit, written);
    if (committed !== 'done') return committed;
  }
  session.replay = null;
  return (await session.publisher.publish(session.claim, [], false)) === 'fenced' ? 'fenced' : 'done';
};

/**
 * Commits nothing but the time that has been reached. A store that lost its last writes while the shard was idle says so here:
 * it has also lost deadlines, which nobody else would remember.
 */
export const confirmStore = async (deps: ShardDeps, session: ShardSession): Promise<Committed> => {
  const { commit, written } = buildCommit(session.claim, [], session.claim.applied, session.streamTime.now, () => null);
  return commitShard(deps, session, commit, written);
};
