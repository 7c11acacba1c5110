import type { Config } from '../../config/schema.ts';
import { sealKeyOf } from '../../config/seal-key.ts';
import type { ForwardSink } from '../../ports/forward-sink.ts';
import type { RecordEncoder } from '../../ports/record-encoder.ts';
import type { RecordSink } from '../../ports/record-sink.ts';
import { outgoingRecord } from '../../producers/outgoing.ts';

/** CloudEvents source of what the consumer passes on. */
const SOURCE = '/countersign/process';

/** Passes requests on through a record sink, sealed where seals are made. */
export const createForwardSink = (
  { seals }: Pick<Config, 'seals'>,
  sink: RecordSink,
  encoder: () => Promise<RecordEncoder>,
): ForwardSink => ({
  write: async (requests) => {
    const options = {
      source: SOURCE,
      encoder: await encoder(),
      seal: seals.mode === 'off' ? undefined : sealKeyOf(seals),
    };
    await sink.write(
      requests.map(
        ({ key, record, traceparent }) =>
          outgoingRecord(options, record, key, traceparent === null ? {} : { traceparent }).outgoing,
      ),
    );
  },
});
