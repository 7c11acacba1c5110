import { MemoryRecordSink } from '../../src/drivers/memory/record-sink.ts';
import { prefixedTopic } from '../../src/records/index.ts';
import { describeRecordSink } from '../conformance/record-sink.ts';

describeRecordSink('memory', async () => {
  const sink = new MemoryRecordSink('t.', 4);
  return {
    sink,
    partitions: 4,
    read: async (topic, partition) => sink.read(prefixedTopic('t.', topic), partition),
    dispose: () => sink.close(),
  };
});
