import type { RecordSink } from '../../ports/record-sink.ts';
import type { Intake } from './intake.ts';

/** What the producers write goes into the embedded pipeline: kept once it is in the journal. */
export const createEmbeddedSink = (intake: Intake): RecordSink => ({
  write: async (records) => {
    await intake.take(
      records.map(({ topic, key, value, headers }) => ({ topic, key, value: value.toString('utf8'), headers })),
    );
  },
  // The pipeline is its owner's to close.
  close: async () => undefined,
});
