import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { brokerUnavailable } from '../../../src/drivers/kafka/broker-error.ts';
import { OperatingError } from '../../../src/errors.ts';

/** What a function throws. */
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('it threw nothing');
};

const ourMistake = (): unknown => (undefined as unknown as { length: number }).length;

describe('an error on the way to the broker', () => {
  it('is BROKER_UNAVAILABLE, retryable, with the name that the broker gives it', () => {
    const cause = new kafkajs.KafkaJSConnectionError('Connection timeout');
    const error = brokerUnavailable('reading verdicts/0', cause);
    expect(error).toMatchObject({ code: 'BROKER_UNAVAILABLE', retryable: true, cause });
    expect(error.message).toBe('reading verdicts/0: Connection timeout');
  });

  it('stays what it is where it has a code already', () => {
    const cause = new OperatingError('OFFSETS_OUTSIDE_LOG', 'verdicts/0 holds no offset 3');
    expect(brokerUnavailable('reading', cause)).toBe(cause);
  });

  it('is thrown as it is where the program is wrong: waiting would not cure it', () => {
    const mistake = thrownBy(ourMistake);
    expect(mistake).toBeInstanceOf(TypeError);
    expect(thrownBy(() => brokerUnavailable('reading', mistake))).toBe(mistake);
  });

  it('is a fault of the connection where the client stumbles over what a broker left unsaid', () => {
    const Decoder = createRequire(import.meta.url)('kafkajs/src/protocol/decoder') as new (
      buffer: unknown,
    ) => { readInt32(): number };
    const stumble = thrownBy(() => new Decoder(undefined).readInt32());
    expect(stumble).toBeInstanceOf(TypeError);
    expect(brokerUnavailable('reading', stumble)).toMatchObject({ code: 'BROKER_UNAVAILABLE', cause: stumble });
  });
});
