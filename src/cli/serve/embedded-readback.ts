import { sealKeyOf } from '../../config/seal-key.ts';
import type { EmbeddedPipeline } from '../../drivers/memory/embedded-pipeline.ts';
import { MemoryRateLimiter } from '../../drivers/memory/rate-limiter.ts';
import type { RecordSink } from '../../ports/record-sink.ts';
import { systemTime } from '../../ports/time.ts';
import { createReadbackProducer } from '../../producers/readback-producer.ts';
import { type ReadbackParts, type RunningReadback, startReadbackWorker } from '../roles/readback-worker.ts';

export interface EmbeddedReadbackOptions
  extends Pick<ReadbackParts, 'config' | 'contracts' | 'logger' | 'metrics' | 'onFatal' | 'time'> {
  readonly pipeline: EmbeddedPipeline;
  readonly sink: RecordSink;
}

/** The readback worker within one process: the pipeline's own queue, its answers straight into the journal. */
export const startEmbeddedReadback = (options: EmbeddedReadbackOptions): RunningReadback => {
  const { config, pipeline, sink } = options;
  const seal = config.seals.mode === 'off' ? undefined : sealKeyOf(config.seals);
  return startReadbackWorker({
    ...options,
    store: pipeline.reads,
    shards: [0],
    limiter: new MemoryRateLimiter((options.time ?? systemTime).clock),
    producer: createReadbackProducer({ sink, source: '/countersign/serve', seal }),
  });
};
