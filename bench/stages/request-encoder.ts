import { createRequire } from 'node:module';
import type { Message } from 'kafkajs';
import { installWireCodec } from '../../src/drivers/kafka/wire/install.ts';

type EncodeRequest = (request: unknown) => { readonly encode: () => Promise<{ readonly buffer: Buffer }> };

installWireCodec();

// Of the client; it is not exported.
const produceRequest = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/produce/v3/request',
) as EncodeRequest;

/** Makes the bytes of a produce request as the client does, and throws them away. */
export class RequestEncoder {
  async encode(messages: readonly Message[]): Promise<number> {
    const partitions = [{ partition: 0, firstSequence: 0, messages }];
    const request = produceRequest({
      acks: -1,
      timeout: 30_000,
      transactionalId: 'bench',
      topicData: [{ topic: 'verdicts', partitions }],
    });
    return (await request.encode()).buffer.length;
  }
}
