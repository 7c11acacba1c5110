import type { FetchedBatch } from '../ports/input-log.ts';

/** Part of a fetched batch that goes into one commit. */
export type Slice = Pick<FetchedBatch, 'topic' | 'records' | 'next' | 'end' | 'fetchedAt'>;

/** A topic's batches, in order, on their way into runs. */
interface Lane {
  readonly batches: FetchedBatch[];
  /** of the first batch: where the slice begins that is being made, and where it has come to */
  from: number;
  at: number;
}

const lanesOf = (batches: readonly FetchedBatch[]): Lane[] => {
  const lanes = new Map<string, Lane>();
  for (const batch of batches) {
    const lane = lanes.get(batch.topic);
    if (lane === undefined) lanes.set(batch.topic, { batches: [batch], from: 0, at: 0 });
    else lane.batches.push(batch);
  }
  return [...lanes.values()];
};

/** Puts what the lane has come to into the run; and where that ends its batch, goes on to the next. */
const cut = (lane: Lane, run: Slice[]): void => {
  const [batch] = lane.batches;
  if (batch === undefined) return;
  const { topic, records, next, end, fetchedAt } = batch;
  const part = records.slice(lane.from, lane.at);
  const last = part.at(-1);
  const isWhole = lane.at >= records.length || last === undefined;
  run.push({ topic, records: part, next: isWhole ? next : BigInt(last.offset) + 1n, end, fetchedAt });
  lane.from = lane.at;
  if (!isWhole) return;
  lane.batches.shift();
  lane.from = 0;
  lane.at = 0;
};

/** Batches that are at their end, those without records among them, are cut off. */
const cutEnded = (lane: Lane, run: Slice[]): void => {
  for (let [batch] = lane.batches; batch !== undefined && lane.at >= batch.records.length; [batch] = lane.batches)
    cut(lane, run);
};

/** When the lane's next record was written. */
const nextAt = ({ batches: [batch], at }: Lane): number => batch?.records[at]?.timestamp ?? Number.NEGATIVE_INFINITY;

const oldest = (lanes: readonly Lane[]): Lane | undefined => {
  let found: Lane | undefined;
  let foundAt = Number.POSITIVE_INFINITY;
  for (const lane of lanes) {
    if (lane.batches.length === 0) continue;
    const at = nextAt(lane);
    if (found !== undefined && at >= foundAt) continue;
    [found, foundAt] = [lane, at];
  }
  return found;
};

/**
 * Cuts batches into runs of at most `limit` records, one commit each. A topic's order stays. Of several topics the oldest record
 * goes first: what was written about one refund at about the same time is then mostly in one run, and its state, which every run
 * writes anew, is written less often.
 */
export const cutRuns = (batches: readonly FetchedBatch[], limit: number): Slice[][] => {
  const lanes = lanesOf(batches);
  const runs: Slice[][] = [];
  while (lanes.some((lane) => lane.batches.length > 0)) {
    const run: Slice[] = [];
    for (const lane of lanes) cutEnded(lane, run);
    for (let room = limit; room > 0; room -= 1) {
      const lane = oldest(lanes);
      if (lane === undefined) break;
      lane.at += 1;
      cutEnded(lane, run);
    }
    for (const lane of lanes) if (lane.at > lane.from) cut(lane, run);
    runs.push(run);
  }
  return runs;
};
