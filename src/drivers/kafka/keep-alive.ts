import { isRebalance } from './broker-error.ts';

/**
 * Sends heartbeats while a batch is being worked on. When one says that the group changes, the work is finished first (the
 * client rejoins once this has thrown): only that error leaves, any other would crash the consumer for a fault of the network
 * that the next fetch meets anyway.
 */
export const keepAlive = async (
  work: Promise<void>,
  heartbeat: () => Promise<void>,
  intervalMs: number,
): Promise<void> => {
  let rebalance: { error: unknown } | null = null;
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  while (!isDone && rebalance === null) {
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, intervalMs);
    });
    await Promise.race([finished, pause]);
    clearTimeout(timer);
    if (isDone) break;
    try {
      await heartbeat();
    } catch (error) {
      if (isRebalance(error)) rebalance = { error };
    }
  }
  await finished;
  if (rebalance !== null) throw rebalance.error;
};
